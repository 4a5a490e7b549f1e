"""What a reviewer holds: seats that they have not judged yet, and second looks asked of them."""

from accounts.held_work import declare_held_work
from review.disputes.actions.inquiries import end_second_looks
from review.seats.actions.seats import give_back_seats, give_back_seats_ahead

declare_held_work("seats", give_back_seats, give_back_seats_ahead)
declare_held_work("second looks", end_second_looks, end_second_looks)
