//! Methods about one row: for another user's row they return the same as for a missing one, and
//! change nothing.

use super::Door;
use crate::calls::calls;
use crate::users::{EVERYBODY, sees};
use crate::world::NOWHERE;

pub(super) async fn findings(door: &Door<'_>) -> Vec<String> {
    let mut findings = Vec::new();
    let world = &door.people.world;
    let before = world.heard();
    for user in EVERYBODY {
        for owner in EVERYBODY {
            if sees(user).contains(&owner) {
                continue;
            }
            let of_nothing = calls(NOWHERE);
            for (call, nothing) in calls(door.people.rows[&owner]).iter().zip(&of_nothing) {
                if !door.looks_at(call.name) {
                    continue;
                }
                let said = (call.run)(door.of(user, call.name)).await;
                let nothing = (nothing.run)(world.of(user)).await;
                if said.is_ok() || format!("{said:?}") != format!("{nothing:?}") {
                    let name = call.name;
                    findings.push(format!("{name}: {user} of {owner}'s row: {said:?}"));
                }
            }
        }
    }
    if findings.is_empty() && world.heard() != before {
        findings.push("a record of a change".to_owned());
    }
    findings
}
