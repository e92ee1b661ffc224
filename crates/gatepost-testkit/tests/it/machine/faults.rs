//! Every fault of every record.

use std::sync::Arc;

use gatepost_ids::{ObjectId, OwnerId, Realm};
use gatepost_storage::audit::{AuditEntry, AuditId, AuditRow};
use gatepost_storage::keys::{KeyRow, Rolled};
use gatepost_storage::owners::OwnerRow;
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryState, OutboxId, OutboxRow, Phases,
    RemainingTasks, TaskRow,
};
use gatepost_storage::{Revision, Row};
use gatepost_testkit::fields::{self, Field, Rule};
use gatepost_testkit::fixtures::{at, event, key, occurrence, task, webhook_of};
use webhook_model::{Event, EventId, TaskId, Webhook, WebhookId};

use super::breaker::{Fault, Kind, Site};

/// The effect of a call on a row.
#[derive(Clone, Copy)]
enum Does {
    /// Stores a new row and returns it.
    Inserts(&'static str),
    /// Stores an edit and returns the row.
    Edits(&'static str),
    /// Stores a row in which these fields differ from before.
    Changes(&'static str, &'static [&'static str]),
    /// Returns it.
    Returns(&'static str),
}

/// Returns each field, in each call, with each kind of fault.
fn faults<R: Clone>(fields: Vec<Field<R>>, plain: &R, calls: &[Does]) -> Vec<Fault<R>> {
    let fields: Vec<_> = fields.into_iter().map(Arc::new).collect();
    let mut all = Vec::new();
    for call in calls {
        for field in &fields {
            let (rule, name) = (field.rule(), field.name());
            let mut add = |method, site, kinds: &[Kind]| {
                all.extend(kinds.iter().map(|kind| Fault {
                    method,
                    site,
                    kind: *kind,
                    field: field.clone(),
                    plain: plain.clone(),
                }));
            };
            let wrong = &[Kind::Dropped, Kind::Swapped, Kind::Near];
            match *call {
                Does::Inserts(method) => {
                    add(method, Site::Stored, wrong);
                    add(method, Site::Returned, wrong);
                }
                Does::Edits(method) => {
                    add(method, Site::Stored, wrong);
                    add(method, Site::Returned, wrong);
                    if rule == Rule::Edited || ["row.revision", "row.modified"].contains(&name) {
                        add(method, Site::Stored, &[Kind::Old]);
                    } else if rule != Rule::Shown {
                        add(method, Site::Stored, &[Kind::Caller]);
                    }
                }
                Does::Changes(method, changed) => {
                    add(method, Site::Stored, wrong);
                    if changed.contains(&name) {
                        add(method, Site::Stored, &[Kind::Old]);
                    }
                }
                Does::Returns(method) => add(method, Site::Returned, wrong),
            }
        }
    }
    all
}

pub(super) fn of_keys() -> Vec<Fault<KeyRow>> {
    let plain = KeyRow {
        id: apikey_core::KeyId(0),
        revision: Revision::FIRST,
        key: key(1, "plain"),
        rolled: Rolled::default(),
    };
    let calls = [
        Does::Inserts("insert_key"),
        Does::Edits("update_key"),
        Does::Inserts("roll_key, new"),
        Does::Changes(
            "roll_key, old",
            &["row.revision", "row.key.expiration", "row.rolled.to"],
        ),
        Does::Returns("roll_key, old"),
        Does::Returns("find_key, by id"),
        Does::Returns("find_key, by lookup id"),
        Does::Returns("list_keys"),
        Does::Returns("expiring_keys"),
    ];
    faults(fields::of_key(&plain), &plain, &calls)
}

fn row<I, T>(id: I, value: T) -> Row<I, T> {
    Row {
        id,
        owner: OwnerId(1),
        revision: Revision::FIRST,
        created: at(0),
        modified: at(0),
        value,
    }
}

pub(super) fn of_webhooks() -> Vec<Fault<Row<WebhookId, Webhook>>> {
    let plain = row(WebhookId(0), webhook_of(1, "plain"));
    let calls = [
        Does::Inserts("insert_records"),
        Does::Edits("update_record"),
        Does::Returns("get_records"),
        Does::Returns("list_records"),
    ];
    faults(fields::of_webhook(&plain), &plain, &calls)
}

pub(super) fn of_tasks() -> Vec<Fault<TaskRow>> {
    // The first two webhooks of a store.
    let webhooks = [WebhookId(1), WebhookId(2)];
    let plain = TaskRow {
        id: TaskId(0),
        owner: OwnerId(1),
        revision: Revision::FIRST,
        created: at(0),
        modified: at(0),
        value: task(webhooks[0]),
    };
    let calls = [
        Does::Inserts("insert_records"),
        Does::Edits("update_record"),
        Does::Returns("get_records"),
        Does::Returns("list_records"),
    ];
    faults(fields::of_task(&plain, webhooks), &plain, &calls)
}

pub(super) fn of_events() -> Vec<Fault<Row<EventId, Event>>> {
    // The first two tasks of a store.
    let tasks = [TaskId(1), TaskId(2)];
    let plain = row(EventId(0), event(tasks[0]));
    let calls = [
        Does::Inserts("insert_records"),
        Does::Edits("update_record"),
        Does::Returns("get_records"),
        Does::Returns("list_records"),
    ];
    faults(fields::of_event(&plain, tasks), &plain, &calls)
}

pub(super) fn of_owners() -> Vec<Fault<OwnerRow>> {
    let plain = OwnerRow {
        owner: OwnerId(0),
        realm: Realm::Shared,
        suspended: false,
    };
    let calls = [
        Does::Changes("set_owner, realm", &["row.realm"]),
        Does::Changes("set_owner, suspended", &["row.suspended"]),
        Does::Returns("owner"),
        Does::Returns("list_owners"),
    ];
    faults(fields::of_owner(&plain), &plain, &calls)
}

pub(super) fn of_deliveries() -> Vec<Fault<Delivery>> {
    let plain = Delivery {
        id: DeliveryId(0),
        message_id: "plain".parse().unwrap(),
        webhook: WebhookId(0),
        owner: OwnerId(0),
        tenant: None,
        task: None,
        cause: None,
        body: "{}".into(),
        message_kept: false,
        state: DeliveryState::Queued,
        class: String::new(),
        status_info: String::new(),
        created: at(0),
        due: at(0),
        lease_until: None,
        last_attempt: None,
        attempts: 0,
        tries: 0,
        lost_claims: 0,
        response_status: None,
        duration: None,
    };
    let calls = [
        Does::Changes("enqueue", &[]),
        Does::Changes("claim", &["row.state", "row.lease_until"]),
        Does::Changes(
            "settle",
            &[
                "row.state",
                "row.class",
                "row.status_info",
                "row.due",
                "row.lease_until",
                "row.last_attempt",
                "row.attempts",
                "row.tries",
                "row.response_status",
                "row.duration",
                "row.body",
                "row.message_kept",
            ],
        ),
        Does::Changes(
            "reclaim",
            &[
                "row.state",
                "row.status_info",
                "row.due",
                "row.lease_until",
                "row.lost_claims",
            ],
        ),
        Does::Changes(
            "replay",
            &[
                "row.state",
                "row.status_info",
                "row.due",
                "row.tries",
                "row.lost_claims",
            ],
        ),
        Does::Changes("cancel", &["row.state", "row.status_info"]),
        Does::Changes("hasten", &["row.due"]),
        Does::Returns("claim"),
        Does::Returns("delivery"),
        Does::Returns("list_deliveries"),
    ];
    faults(fields::of_delivery(&plain), &plain, &calls)
}

pub(super) fn of_attempts() -> Vec<Fault<AttemptRecord>> {
    let plain = AttemptRecord {
        number: 0,
        started: at(0),
        duration: std::time::Duration::ZERO,
        phases: Phases::default(),
        class: String::new(),
        info: String::new(),
        status: None,
        remote: None,
        protocol: None,
        request_head: Vec::new(),
        response_head: Vec::new(),
        response_body: Vec::new(),
        truncated: false,
        kept: true,
    };
    let stored = |field: &Field<AttemptRecord>| field.rule() == Rule::Kept;
    let mut settled = fields::of_attempt(&plain);
    settled.retain(stored);
    let mut all = faults(settled, &plain, &[Does::Changes("settle", &[])]);
    all.extend(faults(
        fields::of_attempt(&plain),
        &plain,
        &[Does::Returns("attempts")],
    ));
    all
}

pub(super) fn of_outbox() -> Vec<Fault<OutboxRow>> {
    let plain = OutboxRow {
        id: OutboxId(0),
        occurrence: Ok(occurrence("on")),
        left: RemainingTasks::After(TaskId(0)),
        by: None,
        turn: 0,
        created: at(0),
    };
    // The parts of a row that each of these calls is given.
    let given = |only: fn(&str) -> bool| {
        let mut fields = fields::of_outbox_row(&plain);
        fields.retain(|field| only(field.name()));
        fields
    };
    let later =
        given(|name| name.starts_with("row.occurrence.") || name == "row.left" || name == "row.by");
    let moved = given(|name| name == "row.left");
    let mut all = faults(later, &plain, &[Does::Changes("enqueue, later", &[])]);
    all.extend(faults(
        moved,
        &plain,
        &[Does::Changes("enqueue, moved on", &[])],
    ));
    all.extend(faults(
        given(|_| true),
        &plain,
        &[Does::Returns("take_outbox")],
    ));
    all
}

pub(super) fn of_audit() -> Vec<Fault<AuditRow>> {
    let plain = AuditRow {
        id: AuditId(0),
        entry: AuditEntry {
            at: at(0),
            owner: OwnerId(0),
            tenant: None,
            actor: OwnerId(0),
            key: None,
            from: None,
            table: String::new(),
            row: ObjectId::from(0),
            name: String::new(),
            operation: String::new(),
            changes: String::new(),
        },
    };
    let mut added = fields::of_audit_entry(&plain);
    added.retain(|field| field.rule() == Rule::Kept);
    let mut all = faults(added, &plain, &[Does::Changes("append_audit", &[])]);
    all.extend(faults(
        fields::of_audit_entry(&plain),
        &plain,
        &[Does::Returns("list_audit")],
    ));
    all
}
