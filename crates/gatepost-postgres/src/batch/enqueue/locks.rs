//! The locks of a shared batch, tried, by a statement of the parts that it needs.

use tokio_postgres::types::ToSql;

use crate::change::Shared;

const PLACES: &str = concat!(
    include_str!("../../sql/place/try.sql"),
    include_str!("../../sql/place/try_end.sql"),
);
const WEBHOOKS: &str = concat!(
    include_str!("../../sql/place/try.sql"),
    include_str!("../../sql/place/try_webhooks.sql"),
    include_str!("../../sql/place/try_end.sql"),
);
const ROWS: &str = concat!(
    include_str!("../../sql/place/try.sql"),
    include_str!("../../sql/place/try_webhooks.sql"),
    include_str!("../../sql/place/try_rows.sql"),
    include_str!("../../sql/place/try_end.sql"),
);

/// What is tried, under the number of the schema.
pub(super) struct Locks {
    pub(super) number: i32,
    pub(super) shared: Shared,
}

impl Locks {
    pub(super) fn sql(&self) -> &'static str {
        match (self.has_rows(), self.shared.webhooks.is_empty()) {
            (true, _) => ROWS,
            (false, false) => WEBHOOKS,
            (false, true) => PLACES,
        }
    }

    pub(super) fn params(&self) -> Vec<&(dyn ToSql + Sync)> {
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&self.number, &self.shared.places];
        if self.has_rows() || !self.shared.webhooks.is_empty() {
            params.push(&self.shared.webhooks);
        }
        if self.has_rows() {
            params.push(&self.shared.tasks);
            params.push(&self.shared.events);
        }
        params
    }

    /// Tasks or events.
    fn has_rows(&self) -> bool {
        !self.shared.tasks.is_empty() || !self.shared.events.is_empty()
    }
}
