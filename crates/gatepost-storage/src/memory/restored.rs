//! What a store goes on with after an earlier state of it was put back.

use super::store::Tables;
use crate::owners::{LOG_PASSED_OVER, RECORDS_PASSED_OVER};

impl Tables {
    /// Numbers, revisions and versions go on beyond those given since.
    pub(super) fn records_restored(&mut self) {
        let records = &mut self.records;
        let ids = &mut records.ids;
        for counter in [&mut ids.webhooks, &mut ids.tasks, &mut ids.events] {
            counter.pass_over(RECORDS_PASSED_OVER);
        }
        let webhooks = records.webhooks.values_mut().map(|row| &mut row.revision);
        let tasks = records.tasks.values_mut().map(|row| &mut row.revision);
        let events = records.events.values_mut().map(|row| &mut row.revision);
        for revision in webhooks.chain(tasks).chain(events) {
            revision.0 += RECORDS_PASSED_OVER;
        }
        self.deliveries.ids.pass_over(LOG_PASSED_OVER);
        self.deliveries.tokens.pass_over(LOG_PASSED_OVER);
        self.outbox.pass_over(LOG_PASSED_OVER);
        self.places.restored(RECORDS_PASSED_OVER);
    }
}
