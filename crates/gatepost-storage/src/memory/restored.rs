//! What a store goes on with after an earlier state of it was put back.

use chrono::{DateTime, Utc};

use super::store::Tables;
use crate::owners::PassedOver;

impl Tables {
    /// Numbers, revisions and versions go on beyond those given since.
    pub(super) fn records_restored(&mut self, now: DateTime<Utc>) {
        let numbers = PassedOver::of_records(now);
        let of_log = PassedOver::of_log(now);
        let records = &mut self.records;
        let ids = &mut records.ids;
        for counter in [&mut ids.webhooks, &mut ids.tasks, &mut ids.events] {
            counter.pass_over(numbers);
        }
        let webhooks = records.webhooks.values_mut().map(|row| &mut row.revision);
        let tasks = records.tasks.values_mut().map(|row| &mut row.revision);
        let events = records.events.values_mut().map(|row| &mut row.revision);
        for revision in webhooks.chain(tasks).chain(events) {
            revision.0 = numbers.beyond(revision.0);
        }
        self.deliveries.ids.pass_over(of_log);
        self.deliveries.tokens.pass_over(of_log);
        self.outbox.pass_over(of_log);
        self.places.restored(numbers);
    }
}
