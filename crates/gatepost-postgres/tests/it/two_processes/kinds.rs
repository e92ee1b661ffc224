//! The kinds of enqueues that are stopped.

use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{at, direct, message};

use super::Race;

/// The kinds whose precondition is a realm's version, as in the engine's enqueues.
pub(super) const BY_REALM: [Kind; 4] =
    [Kind::Waiting, Kind::Leased, Kind::LeasedApart, Kind::Named];
pub(super) const KINDS: [Kind; 6] = [
    Kind::Waiting,
    Kind::Leased,
    Kind::LeasedApart,
    Kind::Named,
    Kind::Manual,
    Kind::ByRows,
];

/// The kind of an enqueue: each uses another statement of the store.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// It waits.
    Waiting,
    /// It is leased, all deliveries for the same time.
    Leased,
    /// It is leased, each delivery for another time.
    LeasedApart,
    /// It waits, and comes from an occurrence with an id.
    Named,
    /// It waits, without a precondition.
    Manual,
    /// It waits, and its preconditions are the revisions of its records.
    ByRows,
}

impl Race {
    /// Returns two deliveries of the first tenant's webhook, with its current records.
    pub(super) async fn batch(&self, kind: Kind, name: &str) -> Enqueue {
        let leases = match kind {
            Kind::Leased => [Some(at(60)), Some(at(60))],
            Kind::LeasedApart => [Some(at(60)), Some(at(90))],
            Kind::Waiting | Kind::Named | Kind::Manual | Kind::ByRows => [None, None],
        };
        let new = (1..).zip(leases).map(|(n, lease_until)| NewDelivery {
            task: Some(self.task),
            lease_until,
            ..message(self.two.of_one, &format!("{name}{n}"), at(0))
        });
        let origin = match kind {
            Kind::Named => Origin::Occurrence {
                place: self.two.one,
                id: name.parse().unwrap(),
            },
            _ => Origin::Direct,
        };
        let precondition = match kind {
            Kind::Manual => Precondition::Nothing,
            Kind::ByRows => self.rows().await,
            _ => self.two.precondition_of(&[self.two.one]).await,
        };
        Enqueue {
            origin,
            precondition,
            ..direct(new.collect())
        }
    }

    async fn rows(&self) -> Precondition {
        let (store, webhook) = (&self.two.a, self.two.of_one);
        let hook = store.webhook(webhook).await.unwrap().unwrap();
        let task = store.task(self.task).await.unwrap().unwrap();
        Precondition::Rows(vec![
            (webhook.into(), hook.revision),
            (self.task.into(), task.revision),
        ])
    }
}
