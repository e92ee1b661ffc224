//! Deliveries: found, read, sent again, given up.

use super::step::{Given, Journey, Step};

pub(super) const JOURNEYS: &[Journey] = &[
    Journey {
        name: "delivery: filter, open, copy as curl, replay",
        given: Given::Team,
        steps: &[
            Step::Follow("Deliveries"),
            Step::Turn("State", "error", "Filter"),
            Step::Miss("#1"),
            Step::Unfold("More filters"),
            Step::Fill("HTTP status", "503"),
            Step::Press("Filter"),
            Step::Follow("#2"),
            Step::See("POST http://"),
            Step::Unfold("curl command"),
            Step::Either(
                &[Step::Push("Copy as curl"), Step::See("Copied.")],
                &[Step::See("curl")],
            ),
            Step::Unfold("Show request and response of attempt 1"),
            Step::Press("Replay"),
            Step::See("The delivery was queued again"),
        ],
    },
    Journey {
        name: "delivery: retry now, cancel",
        given: Given::Waiting,
        steps: &[
            Step::Follow("Deliveries"),
            Step::Follow("#1"),
            Step::See("first attempt in 59 minutes"),
            Step::Press("Retry now"),
            Step::See("The next attempt is due now."),
            Step::Follow("Deliveries"),
            Step::Follow("#2"),
            Step::Follow("Cancel"),
            Step::See("will not be sent"),
            Step::Press("Cancel delivery"),
            Step::See("The delivery was cancelled."),
        ],
    },
    Journey {
        name: "delivery: replay of a range",
        given: Given::Team,
        steps: &[
            Step::Follow("Webhooks"),
            Step::Follow("Ops channel"),
            Step::Follow("Replay…"),
            Step::See("1 delivery will be sent again"),
            Step::Choose("State", "failed and sent"),
            Step::Press("Count"),
            Step::See("4 deliveries will be sent again"),
            Step::Press("Replay 4 deliveries"),
            Step::See("4 deliveries were queued again."),
        ],
    },
];
