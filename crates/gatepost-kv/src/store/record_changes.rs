//! Inserts, edits and deletions of webhooks, tasks and events.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    Cascade, InsertedRecords, NewRecords, RecordId, RecordRow, RoutesVersion, TaskRow,
};
use gatepost_storage::{ErrorKind, Row, StoreError};
use webhook_model::{Action, Event, EventId, Task, TaskId, Webhook, WebhookId};

use super::error::Outcome;
use super::heads::{Head, Kept, found, give, head_of, put, remove};
use super::key::Key;
use super::realms::Change;
use super::rows::{Source, key_of};
use super::tables::{EVENT_OF_TASK, GONE, RECORD_USAGE, TASK_OF_WEBHOOK, WEBHOOK_BY_NAME};
use super::tx::{Tx, row};
use super::{numbers, owner_status, realms};
use crate::contract::View;

/// The values that changes share.
pub(super) struct Changing<'a> {
    pub(super) keys: &'a SealingKeys,
    pub(super) now: DateTime<Utc>,
}

impl Changing<'_> {
    pub(super) fn insert(
        &self,
        tx: &mut Tx<'_>,
        new: NewRecords,
        at_most: &RecordUsage,
    ) -> Outcome<InsertedRecords> {
        let mut inserted = InsertedRecords::default();
        if let Some(webhook) = new.webhook {
            let owner = webhook.owner;
            name_is_free(tx, &webhook, owner, None)?;
            inserted.webhook = Some(self.store(tx, webhook, owner, at_most, |u| &mut u.webhooks)?);
            owner_status::has_something(tx, owner)?;
        }
        if let Some(task) = new.task {
            let task = inserted.linked_task(task);
            let owner = owner_by_webhook(tx, &task)?;
            inserted.task = Some(self.store(tx, task, owner, at_most, |u| &mut u.tasks)?);
        }
        for event in new.events {
            let event = inserted.linked_event(event);
            let owner = owner_by_task(tx, &event)?;
            let row = self.store(tx, event, owner, at_most, |u| &mut u.events)?;
            inserted.events.push(row);
        }
        Ok(inserted)
    }

    /// Stores a new row, if its owner's limits allow it.
    fn store<R: Kept<Id: Into<RecordId>>>(
        &self,
        tx: &mut Tx<'_>,
        new: R,
        owner: OwnerId,
        at_most: &RecordUsage,
        rows: fn(&mut RecordUsage) -> &mut u64,
    ) -> Outcome<Row<R::Id, R>> {
        let (mut used, mut most) = (usage(tx, owner)?, *at_most);
        if *rows(&mut used) >= *rows(&mut most) {
            return Err(StoreError::new(ErrorKind::Full, "rows").into());
        }
        if used.bytes.saturating_add(new.size()) > most.bytes {
            return Err(StoreError::new(ErrorKind::Full, "bytes").into());
        }
        *rows(&mut used) += 1;
        used.bytes += new.size();
        let id = R::Id::from(numbers::next(tx, R::COUNTER)?);
        let row = Row::inserted(id, owner, new, self.now);
        put(tx, self.keys, &row, None)?;
        set_usage(tx, owner, used)?;
        changed(tx, [owner; 2], vec![id.into()])?;
        Ok(row)
    }

    pub(super) fn update(
        &self,
        tx: &mut Tx<'_>,
        row: RecordRow,
        at_most: u64,
    ) -> Outcome<RecordRow> {
        Ok(match row {
            RecordRow::Webhook(row) => self.update_webhook(tx, row, at_most)?.into(),
            RecordRow::Task(row) => self.update_task(tx, row, at_most)?.into(),
            RecordRow::Event(row) => self.update_event(tx, row, at_most)?.into(),
        })
    }

    fn update_webhook(
        &self,
        tx: &mut Tx<'_>,
        shown: Row<WebhookId, Webhook>,
        at_most: u64,
    ) -> Outcome<Row<WebhookId, Webhook>> {
        let id = shown.id;
        let old = shown_head(tx, &shown)?;
        let mut new = old.edited(shown, old.owner, self.now)?;
        new.value.owner = old.owner;
        name_is_free(tx, &new.value, old.owner, Some(id))?;
        let mut records = vec![RecordId::Webhook(id)];
        // A caller that skipped it as unreadable skipped its tasks, too.
        if found::<Webhook>(tx, self.keys, id)?.is_err() {
            for (task, _) in tasks_of(tx, id)? {
                records.push(task.into());
                records.extend(
                    events_of(tx, task)?
                        .iter()
                        .map(|(id, _)| RecordId::Event(*id)),
                );
            }
        }
        grow(tx, old.owner, (old.bytes, new.value.size()), at_most)?;
        put(tx, self.keys, &new, Some(&old))?;
        changed(tx, [old.owner; 2], records)?;
        Ok(new)
    }

    fn update_task(&self, tx: &mut Tx<'_>, shown: TaskRow, at_most: u64) -> Outcome<TaskRow> {
        let id = shown.id;
        let old = shown_head(tx, &shown)?;
        let owner = owner_by_webhook(tx, &shown.value)?;
        let new = old.edited(shown, owner, self.now)?;
        let events = events_of(tx, id)?;
        let moved: u64 = events.iter().map(|(_, event)| event.bytes).sum();
        if owner == old.owner {
            grow(tx, owner, (old.bytes, new.value.size()), at_most)?;
        } else {
            let less = taken(1, events.len() as u64, old.bytes + moved);
            let more = taken(1, events.len() as u64, new.value.size() + moved);
            move_usage(tx, (old.owner, less), (owner, more), at_most)?;
        }
        // A caller that dropped the events together with the task must be notified of them when the
        // task returns.
        let was_held = old.enabled
            && old.parent == Task::head(&new).parent
            && found::<Task>(tx, self.keys, id)?.is_ok();
        let mut records = vec![RecordId::Task(id)];
        if !was_held || owner != old.owner {
            records.extend(events.iter().map(|(id, _)| RecordId::Event(*id)));
        }
        put(tx, self.keys, &new, Some(&old))?;
        if owner != old.owner {
            for (event, head) in &events {
                give::<Event>(tx, *event, head, owner)?;
            }
        }
        changed(tx, [old.owner, owner], records)?;
        Ok(new)
    }

    fn update_event(
        &self,
        tx: &mut Tx<'_>,
        shown: Row<EventId, Event>,
        at_most: u64,
    ) -> Outcome<Row<EventId, Event>> {
        let id = shown.id;
        let old = shown_head(tx, &shown)?;
        let owner = owner_by_task(tx, &shown.value)?;
        let new = old.edited(shown, owner, self.now)?;
        if owner == old.owner {
            grow(tx, owner, (old.bytes, new.value.size()), at_most)?;
        } else {
            let (less, more) = (taken(0, 1, old.bytes), taken(0, 1, new.value.size()));
            move_usage(tx, (old.owner, less), (owner, more), at_most)?;
        }
        put(tx, self.keys, &new, Some(&old))?;
        changed(tx, [old.owner, owner], vec![id.into()])?;
        Ok(new)
    }
}

pub(super) fn delete(tx: &mut Tx<'_>, record: RecordId, cascade: Cascade) -> Outcome<()> {
    let owner = match record {
        RecordId::Webhook(id) => {
            let head = existing::<Webhook>(tx, id)?;
            if cascade == Cascade::Refuse && !tasks_of(tx, id)?.is_empty() {
                return Err(StoreError::new(ErrorKind::InUse, "a task sends this webhook").into());
            }
            remove_webhook(tx, id, &head)?;
            head.owner
        }
        RecordId::Task(id) => {
            let head = existing::<Task>(tx, id)?;
            remove_task(tx, id, &head)?;
            head.owner
        }
        RecordId::Event(id) => {
            let head = existing::<Event>(tx, id)?;
            remove_event(tx, id, &head)?;
            head.owner
        }
    };
    changed(tx, [owner; 2], vec![record])
}

/// Deletes a one-time task. Returns its realm, and the new version of the realm.
pub(super) fn consume(tx: &mut Tx<'_>, id: TaskId) -> Outcome<Option<(Realm, RoutesVersion)>> {
    let Some(head) = head_of::<Task>(tx, id)? else {
        return Ok(None);
    };
    remove_task(tx, id, &head)?;
    let place = owner_status::place(tx, head.owner)?;
    let version = realms::changed(tx, place, &Change::Records(vec![id.into()]))?;
    Ok(Some((place, version)))
}

/// Returns all records of an owner.
pub(super) fn records_of(view: &dyn View, owner: OwnerId) -> Outcome<Vec<RecordId>> {
    fn of<R: Kept<Id: Into<RecordId>>>(view: &dyn View, owner: OwnerId) -> Outcome<Vec<RecordId>> {
        let source = Source::Of(R::OF_OWNER, vec![Key::new().owner(owner)]);
        let numbers = R::HEADS.numbers(view, &source)?.into_iter();
        Ok(numbers.map(|number| R::Id::from(number).into()).collect())
    }
    let mut records = of::<Webhook>(view, owner)?;
    records.extend(of::<Task>(view, owner)?);
    records.extend(of::<Event>(view, owner)?);
    Ok(records)
}

/// Removes all records of an owner.
pub(super) fn remove_records_of(tx: &mut Tx<'_>, owner: OwnerId) -> Outcome<()> {
    for record in records_of(tx, owner)? {
        if let RecordId::Webhook(id) = record
            && let Some(head) = head_of::<Webhook>(tx, id)?
        {
            remove_webhook(tx, id, &head)?;
        }
    }
    Ok(())
}

pub(super) fn usage(view: &dyn View, owner: OwnerId) -> Outcome<RecordUsage> {
    let kept: Option<[u64; 4]> = row(view, RECORD_USAGE, &owner.to_bytes())?;
    let [webhooks, tasks, events, bytes] = kept.unwrap_or_default();
    Ok(RecordUsage {
        webhooks,
        tasks,
        events,
        bytes,
    })
}

fn set_usage(tx: &mut Tx<'_>, owner: OwnerId, used: RecordUsage) -> Outcome<()> {
    if used == RecordUsage::default() {
        return tx.delete(RECORD_USAGE, &owner.to_bytes());
    }
    let kept = [used.webhooks, used.tasks, used.events, used.bytes];
    tx.put_row(RECORD_USAGE, &owner.to_bytes(), &kept)
}

fn less(tx: &mut Tx<'_>, owner: OwnerId, taken: RecordUsage) -> Outcome<()> {
    let used = usage(tx, owner)?;
    let left = RecordUsage {
        webhooks: used.webhooks.saturating_sub(taken.webhooks),
        tasks: used.tasks.saturating_sub(taken.tasks),
        events: used.events.saturating_sub(taken.events),
        bytes: used.bytes.saturating_sub(taken.bytes),
    };
    set_usage(tx, owner, left)
}

fn taken(tasks: u64, events: u64, bytes: u64) -> RecordUsage {
    RecordUsage {
        webhooks: 0,
        tasks,
        events,
        bytes,
    }
}

/// Changes the size of an owner's record.
fn grow(tx: &mut Tx<'_>, owner: OwnerId, (less, more): (u64, u64), at_most: u64) -> Outcome<()> {
    let mut used = usage(tx, owner)?;
    used.bytes = used.bytes.saturating_sub(less).saturating_add(more);
    if more > less && used.bytes > at_most {
        return Err(StoreError::new(ErrorKind::Full, "bytes").into());
    }
    set_usage(tx, owner, used)
}

/// Moves records from one owner to another, whose limits must allow them.
fn move_usage(
    tx: &mut Tx<'_>,
    (from, gone): (OwnerId, RecordUsage),
    (to, come): (OwnerId, RecordUsage),
    at_most: u64,
) -> Outcome<()> {
    let mut used = usage(tx, to)?;
    used.tasks += come.tasks;
    used.events += come.events;
    used.bytes = used.bytes.saturating_add(come.bytes);
    if used.bytes > at_most {
        return Err(StoreError::new(ErrorKind::Full, "bytes").into());
    }
    set_usage(tx, to, used)?;
    less(tx, from, gone)
}

fn existing<R: Kept>(tx: &Tx<'_>, id: R::Id) -> Outcome<Head> {
    let head = head_of::<R>(tx, id)?;
    Ok(head.ok_or_else(|| StoreError::not_found(R::NAME))?)
}

/// Returns the head of a row to edit, if the caller has read its current revision.
fn shown_head<R: Kept>(tx: &Tx<'_>, shown: &Row<R::Id, R>) -> Outcome<Head> {
    let head = existing::<R>(tx, shown.id)?;
    if head.revision != shown.revision.0 {
        return Err(StoreError::new(ErrorKind::Stale, R::NAME).into());
    }
    Ok(head)
}

fn name_is_free(
    tx: &Tx<'_>,
    webhook: &Webhook,
    owner: OwnerId,
    own: Option<WebhookId>,
) -> Outcome<()> {
    let key = Key::new().name(webhook.name.as_str()).owner(owner);
    let source = Source::Of(WEBHOOK_BY_NAME, vec![key]);
    let taken = Webhook::HEADS.numbers(tx, &source)?;
    if taken.iter().any(|id| Some(WebhookId(*id)) != own) {
        let taken = "the owner has a webhook of that name";
        return Err(StoreError::new(ErrorKind::Conflict, taken).into());
    }
    Ok(())
}

/// Returns the owner of a task, which is its webhook's.
fn owner_by_webhook(tx: &Tx<'_>, task: &Task) -> Outcome<OwnerId> {
    let missing = || StoreError::new(ErrorKind::Invalid, "the task's webhook does not exist");
    let Action::Send { webhook, .. } = &task.action else {
        return Err(missing().into());
    };
    Ok(head_of::<Webhook>(tx, *webhook)?.ok_or_else(missing)?.owner)
}

/// Returns the owner of an event, which is its task's.
fn owner_by_task(tx: &Tx<'_>, event: &Event) -> Outcome<OwnerId> {
    let missing = || StoreError::new(ErrorKind::Invalid, "the event's task does not exist");
    Ok(head_of::<Task>(tx, event.task)?.ok_or_else(missing)?.owner)
}

fn tasks_of(view: &dyn View, webhook: WebhookId) -> Outcome<Vec<(TaskId, Head)>> {
    children::<Task>(view, TASK_OF_WEBHOOK, webhook.0)
}

fn events_of(view: &dyn View, task: TaskId) -> Outcome<Vec<(EventId, Head)>> {
    children::<Event>(view, EVENT_OF_TASK, task.0)
}

fn children<R: Kept>(
    view: &dyn View,
    index: crate::Table,
    parent: i64,
) -> Outcome<Vec<(R::Id, Head)>> {
    let source = Source::Of(index, vec![Key::new().number(parent)]);
    let mut found = Vec::new();
    for number in R::HEADS.numbers(view, &source)? {
        found.extend(
            R::HEADS
                .get(view, number)?
                .map(|head| (number.into(), head)),
        );
    }
    Ok(found)
}

fn remove_webhook(tx: &mut Tx<'_>, id: WebhookId, head: &Head) -> Outcome<()> {
    for (task, head) in tasks_of(tx, id)? {
        remove_task(tx, task, &head)?;
    }
    remove::<Webhook>(tx, id, head)?;
    tx.put(GONE, &key_of(id.0), &[])?;
    let one = RecordUsage {
        webhooks: 1,
        bytes: head.bytes,
        ..RecordUsage::default()
    };
    less(tx, head.owner, one)
}

fn remove_task(tx: &mut Tx<'_>, id: TaskId, head: &Head) -> Outcome<()> {
    for (event, head) in events_of(tx, id)? {
        remove_event(tx, event, &head)?;
    }
    remove::<Task>(tx, id, head)?;
    less(tx, head.owner, taken(1, 0, head.bytes))
}

fn remove_event(tx: &mut Tx<'_>, id: EventId, head: &Head) -> Outcome<()> {
    remove::<Event>(tx, id, head)?;
    less(tx, head.owner, taken(0, 1, head.bytes))
}

/// Moves the versions of the old and the new realm of records.
fn changed(tx: &mut Tx<'_>, owners: [OwnerId; 2], records: Vec<RecordId>) -> Outcome<()> {
    let [old, new]: [Realm; 2] = [
        owner_status::place(tx, owners[0])?,
        owner_status::place(tx, owners[1])?,
    ];
    let change = Change::Records(records);
    realms::changed(tx, new, &change)?;
    if old != new {
        realms::changed(tx, old, &change)?;
    }
    Ok(())
}
