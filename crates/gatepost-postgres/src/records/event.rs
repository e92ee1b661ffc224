//! Events.

use chrono::{DateTime, Utc};
use gatepost_storage::Row;
use webhook_model::{Event, EventId, Filter};

use super::statement::change;
use super::table::{Stored as _, cells, params, row};
use crate::change::{Alone, most};
use crate::column::text;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const DELETE: &str = change!("delete_event");

impl PostgresStore {
    pub(super) async fn change_event(
        &self,
        new: &Row<EventId, Event>,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        let fields = cells(&new.value, self.sealing())?;
        let (size, bytes) = (most(new.value.stored_bytes()), most(at_most));
        let params = params(&[&now, &size, &bytes, &new.id.0, &new.revision.0], &fields);
        let alone = Alone {
            tasks: vec![new.value.task.0],
            events: vec![new.id.0],
            ..Alone::default()
        };
        let update = (Event::table().update.as_str(), &params[..]);
        let (verdict, stored) = self.db().change(&alone, None, update).await?;
        Event::WORDS.check(&verdict)?;
        row(&stored, self.sealing())
    }

    pub(super) async fn remove_event(&self, id: EventId) -> Result<()> {
        let alone = Alone {
            events: vec![id.0],
            ..Alone::default()
        };
        let (verdict, _) = self.db().change(&alone, None, (DELETE, &[&id.0])).await?;
        Event::WORDS.check(&verdict)
    }
}

/// Which occurrences an event is for.
pub(super) fn filter(row: &tokio_postgres::Row) -> Result<Filter> {
    Filter::stored(text(row, "filters")?).map_err(|e| Failure::corrupt("filters", e))
}
