"""What a reviewer holds: the seats that they have claimed and not judged yet."""

from accounts.held_work import declare_held_work
from review.actions.seats import give_back_seats, give_back_seats_ahead

declare_held_work("seats", give_back_seats, give_back_seats_ahead)
