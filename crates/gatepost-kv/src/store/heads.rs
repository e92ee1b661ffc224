//! Records in two parts: a head, which has the columns for searches and can always be read, and the
//! record itself in its stored form.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::codec::Record;
use gatepost_storage::owners::SkippedIds;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{Found, RecordHead, RecordId, RecordRow, TaskRow};
use gatepost_storage::{Revision, Row, StoreError};
use serde::{Deserialize, Serialize};
use webhook_model::{Action, DeliveryOrder, Event, EventId, Task, Webhook, WebhookId};

use super::error::{Outcome, damaged};
use super::key::{Key, micros};
use super::rows::{Index, Rows, Source, key_of};
use super::tables::{
    EVENT_HEADS, EVENT_OF_OWNER, EVENT_OF_TASK, EVENTS, TASK_BY_NAME, TASK_HEADS, TASK_OF_CREATOR,
    TASK_OF_OWNER, TASK_OF_WEBHOOK, TASKS, WEBHOOK_BY_NAME, WEBHOOK_HEADS, WEBHOOK_OF_OWNER,
    WEBHOOKS,
};
use super::tx::Tx;
use crate::contract::View;
use crate::table::Table;

const OF_OWNER: fn(&Head) -> Option<Key> = |head| Some(Key::new().owner(head.owner));
const OF_PARENT: fn(&Head) -> Option<Key> = |head| Some(Key::new().number(head.parent?));

/// The properties of a record without its text.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Head {
    pub(super) owner: OwnerId,
    pub(super) revision: i64,
    created: i64,
    pub(super) bytes: u64,
    pub(super) enabled: bool,
    #[serde(default)]
    pub(super) name: Option<String>,
    /// The webhook of a task, the task of an event.
    #[serde(default)]
    pub(super) parent: Option<i64>,
    #[serde(default)]
    creator: Option<OwnerId>,
    /// For a webhook, whether its deliveries keep their order.
    #[serde(default)]
    pub(super) in_order: bool,
}

/// A record with its tables.
pub(super) trait Kept: Record + Clone {
    const HEADS: &'static Rows<Head>;
    const ROWS: Table;
    const COUNTER: &'static str;
    const OF_OWNER: Table;

    fn head(row: &Row<Self::Id, Self>) -> Head;
    fn size(&self) -> u64;
}

impl Kept for Webhook {
    const HEADS: &'static Rows<Head> = &Rows {
        table: WEBHOOK_HEADS,
        fixed: &[],
        indexes: &[
            Index::of(WEBHOOK_OF_OWNER, OF_OWNER),
            Index::of(WEBHOOK_BY_NAME, |head| {
                Some(Key::new().name(head.name.as_deref()?).owner(head.owner))
            }),
        ],
    };
    const ROWS: Table = WEBHOOKS;
    const COUNTER: &'static str = "webhook";
    const OF_OWNER: Table = WEBHOOK_OF_OWNER;

    fn head(row: &Row<WebhookId, Self>) -> Head {
        Head {
            name: Some(row.value.name.as_str().to_owned()),
            enabled: row.value.sends(),
            in_order: row.value.order == DeliveryOrder::InOrder,
            ..bare(row)
        }
    }

    fn size(&self) -> u64 {
        self.stored_bytes()
    }
}

impl Kept for Task {
    const HEADS: &'static Rows<Head> = &Rows {
        table: TASK_HEADS,
        fixed: &[],
        indexes: &[
            Index::of(TASK_OF_OWNER, OF_OWNER),
            Index::of(TASK_OF_WEBHOOK, OF_PARENT),
            Index::of(TASK_OF_CREATOR, |head| {
                Some(Key::new().owner(head.creator?))
            }),
            Index::of(TASK_BY_NAME, |head| {
                Some(Key::new().name(head.name.as_deref()?))
            }),
        ],
    };
    const ROWS: Table = TASKS;
    const COUNTER: &'static str = "task";
    const OF_OWNER: Table = TASK_OF_OWNER;

    fn head(row: &TaskRow) -> Head {
        let Action::Send { webhook, .. } = &row.value.action else {
            return bare(row);
        };
        Head {
            name: Some(row.value.name.as_str().to_owned()),
            enabled: row.value.enabled,
            parent: Some(webhook.0),
            creator: Some(row.value.creator),
            ..bare(row)
        }
    }

    fn size(&self) -> u64 {
        self.stored_bytes()
    }
}

impl Kept for Event {
    const HEADS: &'static Rows<Head> = &Rows {
        table: EVENT_HEADS,
        fixed: &[],
        indexes: &[
            Index::of(EVENT_OF_OWNER, OF_OWNER),
            Index::of(EVENT_OF_TASK, OF_PARENT),
        ],
    };
    const ROWS: Table = EVENTS;
    const COUNTER: &'static str = "event";
    const OF_OWNER: Table = EVENT_OF_OWNER;

    fn head(row: &Row<EventId, Self>) -> Head {
        Head {
            enabled: row.value.enabled,
            parent: Some(row.value.task.0),
            ..bare(row)
        }
    }

    fn size(&self) -> u64 {
        self.stored_bytes()
    }
}

/// Returns the fields that all heads have.
fn bare<R: Kept>(row: &Row<R::Id, R>) -> Head {
    Head {
        owner: row.owner,
        revision: row.revision.0,
        created: row.created.timestamp_micros(),
        bytes: row.value.size(),
        enabled: false,
        name: None,
        parent: None,
        creator: None,
        in_order: false,
    }
}

impl Head {
    /// Returns the row after an edit with this revision.
    pub(super) fn edited<R: Kept>(
        &self,
        shown: Row<R::Id, R>,
        owner: OwnerId,
        now: DateTime<Utc>,
    ) -> Outcome<Row<R::Id, R>> {
        let created = DateTime::from_timestamp_micros(self.created);
        Ok(Row {
            owner,
            revision: Revision(self.revision).next(),
            created: created.ok_or_else(|| damaged("created"))?,
            modified: micros(now),
            ..shown
        })
    }

    pub(super) fn shown(self, record: RecordId) -> RecordHead {
        RecordHead {
            record,
            owner: self.owner,
            name: self.name,
            enabled: self.enabled,
        }
    }

    pub(super) fn created(&self) -> i64 {
        self.created
    }
}

pub(super) fn head_of<R: Kept>(view: &dyn View, id: R::Id) -> Outcome<Option<Head>> {
    R::HEADS.get(view, id.into())
}

/// Returns the row with this number, as far as it can be read.
pub(super) fn found<R: Kept>(
    view: &dyn View,
    keys: &SealingKeys,
    id: R::Id,
) -> Outcome<Found<Row<R::Id, R>>> {
    let Some(stored) = view.get(R::ROWS, &key_of(id.into()))? else {
        return Ok(Ok(None));
    };
    let json = serde_json::from_slice(&stored);
    let json = json.map_err(|_| StoreError::corrupt(R::NAME, "not its stored form"));
    Ok(json
        .and_then(|json: serde_json::Value| Row::from_json(json, keys))
        .map(Some))
}

pub(super) fn found_record<R: Kept>(
    view: &dyn View,
    keys: &SealingKeys,
    id: R::Id,
) -> Outcome<Found<RecordRow>>
where
    Row<R::Id, R>: Into<RecordRow>,
{
    Ok(found::<R>(view, keys, id)?.map(|row| row.map(Into::into)))
}

pub(super) fn put<R: Kept>(
    tx: &mut Tx<'_>,
    keys: &SealingKeys,
    row: &Row<R::Id, R>,
    old: Option<&Head>,
) -> Outcome<()> {
    let id: i64 = row.id.into();
    let json = row.to_json(keys)?;
    tx.put(R::ROWS, &key_of(id), json.to_string().as_bytes())?;
    R::HEADS.put(tx, id, &R::head(row), old)
}

/// Returns the webhooks of an owner.
pub(super) fn webhooks_of(view: &dyn View, owner: OwnerId) -> Outcome<Vec<WebhookId>> {
    let source = Source::Of(WEBHOOK_OF_OWNER, vec![Key::new().owner(owner)]);
    let numbers = Webhook::HEADS.numbers(view, &source)?;
    Ok(numbers.into_iter().map(WebhookId).collect())
}

/// Changes only the owner of a record.
pub(super) fn give<R: Kept>(tx: &mut Tx<'_>, id: R::Id, old: &Head, owner: OwnerId) -> Outcome<()> {
    let new = Head {
        owner,
        ..old.clone()
    };
    replace_head::<R>(tx, id.into(), old, &new)
}

/// Moves the revisions of some records beyond numbers that may have been assigned after a backup.
/// Returns the last of these records.
pub(super) fn pass_over<R: Kept>(
    tx: &mut Tx<'_>,
    after: Option<i64>,
    passed: SkippedIds,
) -> Outcome<Option<i64>> {
    let some = R::HEADS.some(tx, after)?;
    for (number, old) in &some {
        let new = Head {
            revision: passed.beyond(old.revision),
            ..old.clone()
        };
        replace_head::<R>(tx, *number, old, &new)?;
    }
    Ok(some.last().map(|(number, _)| *number))
}

/// Changes the fields of a record that are in its head, too. A record that cannot be read stays as
/// it is.
fn replace_head<R: Kept>(tx: &mut Tx<'_>, number: i64, old: &Head, new: &Head) -> Outcome<()> {
    let key = key_of(number);
    if let Some(stored) = tx.get(R::ROWS, &key)?
        && let Ok(mut json) = serde_json::from_slice::<serde_json::Value>(&stored)
    {
        json["owner"] = serde_json::to_value(new.owner).map_err(|_| damaged("owner"))?;
        json["revision"] = new.revision.into();
        tx.put(R::ROWS, &key, json.to_string().as_bytes())?;
    }
    R::HEADS.put(tx, number, new, Some(old))
}

pub(super) fn remove<R: Kept>(tx: &mut Tx<'_>, id: R::Id, head: &Head) -> Outcome<()> {
    tx.delete(R::ROWS, &key_of(id.into()))?;
    R::HEADS.delete(tx, id.into(), head)
}
