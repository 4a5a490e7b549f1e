"""What a reviewer holds: the seats that they have claimed and not judged yet."""

from accounts.held_work import declare_held_work
from review.actions.inquiries import end_second_looks
from review.actions.seats import give_back_seats

declare_held_work("seats", give_back_seats)
declare_held_work("second looks", end_second_looks)
