//! Steps on owners.

use gatepost_ids::Realm;
use gatepost_storage::owners::{OwnerFilter, OwnerRow, Removal};

use super::names::joined;
use super::play::{Answer, Play};
use super::step::{Step, parsed, realm};
use crate::fixtures::at;

impl Play {
    pub(super) async fn on_owners(&self, step: &Step<'_>) -> Answer {
        let (records, now) = (&self.store.records, at(self.now));
        match step.verb {
            "place" => {
                let owner = step.number(0);
                records
                    .assign_realm(owner, realm(step.word(1)), now)
                    .await?;
            }
            "hold" => {
                let held = step.word(1) != "no";
                records.hold_owner(step.number(0), held, now).await?;
            }
            "gone" => {
                let gone = match realm(step.word(0)) {
                    Realm::Solo(owner) => Removal::Owner(owner),
                    Realm::Tenant(tenant) => Removal::Tenant(tenant),
                    other => panic!("{other} cannot be removed"),
                };
                records.mark_gone(gone, now).await?;
            }
            "remove" => {
                let limit = step.number_of("limit", 999);
                return Ok(records.remove_gone(limit, now).await?.to_string());
            }
            "owner" => {
                let row = records.owner(step.number(0)).await?;
                return Ok(joined(row.iter().map(shown)));
            }
            "owners" => {
                let which = match step.word(0) {
                    "held" => OwnerFilter::Suspended,
                    _ => OwnerFilter::Unplaced,
                };
                let after = step.option("after").map(parsed);
                let rows = records
                    .list_owners(which, after, step.number_of("limit", 9))
                    .await?;
                return Ok(joined(rows.iter().map(shown)));
            }
            _ => {
                let (holder, until) = (step.number(1), at(step.number_of("until", 0)));
                let got = records.lease(step.word(0), holder, until, now).await?;
                return Ok(if got { "got" } else { "refused" }.to_owned());
            }
        }
        Ok(String::new())
    }
}

/// Returns the text of an owner: `1@tenant:7`, with `,held` behind it.
fn shown(row: &OwnerRow) -> String {
    format!(
        "{}@{}{}",
        row.owner,
        row.realm,
        if row.suspended { ",held" } else { "" }
    )
}
