//! Events.

use chrono::{DateTime, Utc};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::EventQuery;
use gatepost_storage::{AtMost, Row};
use webhook_model::{Event, EventId, Filter};

use super::scope::scoped;
use super::statement::change;
use super::table::{self, Stored as _, cells, params};
use crate::change::{Alone, Words, most};
use crate::column::text;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const DELETE: &str = change!("delete_event");
const WORDS: Words = Words {
    what: "event",
    taken: "event",
    reference: "the event's task does not exist",
};

impl PostgresStore {
    pub(super) async fn add_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        let fields = cells(event, self.sealing())?;
        let (rows, bytes) = (most(at_most.rows), most(at_most.bytes));
        let size = most(event.stored_bytes());
        let params = params(&[&now, &size, &rows, &bytes], &fields);
        let alone = Alone {
            tasks: vec![event.task.0],
            ..Alone::default()
        };
        let insert = (Event::table().insert.as_str(), &params[..]);
        let (verdict, stored) = self.db().change(&alone, None, insert).await?;
        WORDS.check(&verdict)?;
        read(&stored)
    }

    pub(super) async fn find_event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>> {
        let found = self.find::<Event>(id).await?;
        found.as_ref().map(read).transpose()
    }

    pub(super) async fn some_events(&self, query: &EventQuery) -> Result<Vec<Row<EventId, Event>>> {
        let event_type = query.event_type.as_ref().map(ToString::to_string);
        let list = scoped(&Event::table().select, query.scope)
            .bodies(&Event::table().bodies)
            .filter("r.task =", query.task.map(|t| t.0))
            .filter("r.event_type =", event_type);
        list.readable(self.db(), &query.page, |id| id.0, read).await
    }

    pub(super) async fn change_event(
        &self,
        new: &Row<EventId, Event>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        let fields = cells(&new.value, self.sealing())?;
        let (size, bytes) = (most(new.value.stored_bytes()), most(at_most.bytes));
        let params = params(&[&now, &size, &bytes, &new.id.0, &new.revision.0], &fields);
        let alone = Alone {
            tasks: vec![new.value.task.0],
            events: vec![new.id.0],
            ..Alone::default()
        };
        let update = (Event::table().update.as_str(), &params[..]);
        let (verdict, stored) = self.db().change(&alone, None, update).await?;
        WORDS.check(&verdict)?;
        read(&stored)
    }

    pub(super) async fn remove_event(&self, id: EventId) -> Result<()> {
        let alone = Alone {
            events: vec![id.0],
            ..Alone::default()
        };
        let (verdict, _) = self.db().change(&alone, None, (DELETE, &[&id.0])).await?;
        WORDS.check(&verdict)
    }
}

pub(super) fn read(row: &tokio_postgres::Row) -> Result<Row<EventId, Event>> {
    table::row(row, &SealingKeys::none())
}

/// Which occurrences an event is for.
pub(super) fn filter(row: &tokio_postgres::Row) -> Result<Filter> {
    Filter::stored(text(row, "filters")?).map_err(|e| Failure::corrupt("filters", e))
}
