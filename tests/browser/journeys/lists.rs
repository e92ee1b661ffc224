//! Journeys of long lists: paged, sorted, searched.

use super::step::{Given, Journey, Step};

pub(super) const JOURNEYS: &[Journey] = &[KEYS, DELIVERIES];

const KEYS: Journey = Journey {
    name: "list: page, sort, search, clear",
    given: Given::Many,
    steps: &[
        Step::Follow("API keys"),
        Step::See("60 keys, showing 1–50"),
        Step::Follow("Next page"),
        Step::See("key 01"),
        Step::Follow("Previous page"),
        Step::See("key 60"),
        // A narrow window has no headings: it has a list for the order.
        Step::Choose("Sort by", "Name, A to Z"),
        Step::Press("Apply"),
        Step::See("key 01"),
        Step::Fill("Search", "KEY 4"),
        Step::Press("Apply"),
        Step::See("of 60 keys match"),
        Step::Fill("Search", "nothing"),
        Step::Press("Apply"),
        Step::See("No matches in 60 keys"),
        Step::Follow("Clear"),
        Step::See("60 keys, showing 1–50"),
    ],
};

const DELIVERIES: Journey = Journey {
    name: "list: page and turn the deliveries",
    given: Given::Log,
    steps: &[
        Step::Follow("Deliveries"),
        Step::See("60 deliveries, showing 1–50"),
        Step::Follow("Next page"),
        Step::Miss("#11"),
        Step::See("60 deliveries"),
        Step::Follow("Previous page"),
        Step::See("60 deliveries, showing 1–50"),
        Step::Follow("Waiting 60"),
        Step::See("60 matching deliveries, showing 1–50"),
        Step::Turn("Sort by", "Oldest first", "Filter"),
        Step::Miss("#60"),
        Step::Follow("Next page"),
        Step::See("60 matching deliveries"),
        Step::Follow("Sent manually #60"),
        Step::See("irst attempt in 59 minutes"),
    ],
};
