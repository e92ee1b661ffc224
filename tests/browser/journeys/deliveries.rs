//! Journeys of deliveries: found, read, sent again, cancelled.

use super::step::{Given, Journey, Step};

pub(super) const JOURNEYS: &[Journey] = &[
    Journey {
        name: "delivery: filter, open, copy as curl, replay",
        given: Given::Team,
        steps: &[
            Step::Follow("Deliveries"),
            Step::Follow("Failed 1"),
            Step::Miss("#1"),
            Step::Unfold("More filters"),
            Step::Fill("HTTP status", "503"),
            Step::Press("Filter"),
            Step::Follow("Run manually #2"),
            Step::See(
                "The target answered 503 Service Unavailable. No further attempt will be made.",
            ),
            Step::See("Response to attempt 2"),
            Step::Follow("Attempt 1"),
            Step::See("Response to attempt 1"),
            Step::Unfold("curl command"),
            Step::Either(
                &[Step::Push("Copy as curl"), Step::See("Copied.")],
                &[Step::See("curl")],
            ),
            Step::Follow("Newer delivery"),
            Step::Follow("Older delivery"),
            Step::Press("Replay"),
            Step::See("The delivery was queued again"),
        ],
    },
    Journey {
        name: "delivery: retry now, cancel",
        given: Given::Waiting,
        steps: &[
            Step::Follow("Deliveries"),
            Step::Follow("Sent manually #1"),
            Step::See("irst attempt in 59 minutes"),
            Step::Press("Retry now"),
            Step::See("The next attempt is due now."),
            Step::Follow("Deliveries"),
            Step::Follow("Sent manually #2"),
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
            Step::Unfold("More actions"),
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
