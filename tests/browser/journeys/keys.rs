//! A key, from its form to its end.

use super::step::{Given, Journey, KEEP, Step};

pub(super) const JOURNEYS: &[Journey] = &[Journey {
    name: "key: create, keep, review, edit, delete",
    given: Given::Nothing,
    steps: &[
        Step::Follow("API keys"),
        Step::See("No API keys yet"),
        Step::Follow("New API key"),
        Step::Press("Create key"),
        Step::See("Nothing was saved."),
        Step::Fill("Name", "nightly build"),
        Step::Fill("Description (optional)", "Jenkins on build-3; ask Ulf"),
        Step::Choose("Owner", "admin"),
        Step::Pick("In 30 days"),
        Step::Fill("Entry 1", "10.0.0.0/8"),
        Step::Press("Create key"),
        Step::See("Your new API key"),
        Step::See("curl -H 'Authorization: Bearer"),
        KEEP,
        Step::Miss("Your new API key"),
        Step::See("nightly build"),
        Step::Choose("State", "Never used"),
        Step::Press("Apply"),
        Step::See("1 of 1 key matches"),
        Step::Follow("nightly build"),
        Step::See("never used"),
        Step::Follow("Edit"),
        Step::Fill("Name", "nightly build 2"),
        Step::Press("Save key"),
        Step::See("The key was saved."),
        Step::Follow("Delete nightly build 2"),
        Step::See("This cannot be undone."),
        Step::Press("Delete key"),
        Step::See("The key was deleted."),
    ],
}];
