//! A long list: walked, sorted, searched.

use super::step::{Given, Journey, Step};

pub(super) const JOURNEYS: &[Journey] = &[Journey {
    name: "list: page, sort, search, clear",
    given: Given::Many,
    steps: &[
        Step::Follow("API keys"),
        Step::See("60 keys, showing 1–50"),
        Step::Follow("Next page"),
        Step::See("key 01"),
        Step::Follow("Previous page"),
        Step::See("key 60"),
        // A narrow window has no headings: there is a list for the order.
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
}];
