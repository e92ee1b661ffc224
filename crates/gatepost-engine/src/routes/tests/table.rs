//! One table.

use std::time::Duration;

use gatepost_ids::Realm;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    EventRoute, RouteChanges, Routes, RoutesVersion, TaskRoute, WebhookRoute,
};
use webhook_model::{
    Channels, EventId, Filter, ObjectId, Occurrence, OwnerId, TagId, Target, TaskId, WebhookId,
};

use super::super::table::{RouteTable, SLACK};
use crate::testing::poweron;

const OWNER: OwnerId = OwnerId(1);

fn webhook(id: i64) -> WebhookRoute {
    WebhookRoute {
        id: WebhookId(id),
        revision: Revision::FIRST,
        owner: OWNER,
        active: true,
        in_order: false,
        timeout: Duration::from_secs(5),
        channels: Channels::default(),
    }
}

fn task(id: i64, webhook: i64) -> TaskRoute {
    TaskRoute {
        id: TaskId(id),
        revision: Revision::FIRST,
        owner: OWNER,
        webhook: WebhookId(webhook),
        once: false,
    }
}

fn event(id: i64, target: Target, task: i64) -> EventRoute {
    EventRoute {
        id: EventId(id),
        revision: Revision::FIRST,
        event_type: "vms".parse().unwrap(),
        event: "poweron".parse().unwrap(),
        target,
        task: TaskId(task),
        filter: Filter::default(),
    }
}

/// Tasks 1 and 2 send webhook 1; object 1 and tag 4 reach the first, tag 5 the other.
fn table() -> RouteTable {
    let routes = Routes {
        version: RoutesVersion(7),
        webhooks: vec![webhook(1)],
        tasks: vec![task(1, 1), task(2, 1)],
        events: vec![
            event(1, Target::Instance(ObjectId::from(1)), 1),
            event(2, Target::Tag(TagId(4)), 1),
            event(3, Target::Tag(TagId(5)), 2),
            event(4, Target::Generic, 99),
        ],
    };
    RouteTable::new(Realm::Shared, routes)
}

fn ids(table: &RouteTable, occurrence: &Occurrence) -> Vec<i64> {
    let reached = table.reached(occurrence);
    let mut ids: Vec<i64> = reached.tasks.iter().map(|task| task.id().0).collect();
    ids.dedup();
    ids
}

#[test]
fn task_matches_once_by_instance_or_tag() {
    let table = table();
    assert_eq!(ids(&table, &poweron(1, &[4])), [1]);
    assert_eq!(ids(&table, &poweron(1, &[5])), [1, 2]);
    assert_eq!(ids(&table, &poweron(2, &[])), [0; 0]);
    let mut elsewhere = poweron(1, &[4]);
    elsewhere.event = "off".parse().unwrap();
    assert_eq!(ids(&table, &elsewhere), [0; 0]);
    let mut unnamed = poweron(1, &[4, 5]);
    unnamed.object = None;
    assert_eq!(ids(&table, &unnamed), [1, 2]);
}

#[test]
fn reenabled_task_is_reached_by_its_old_events() {
    let mut table = table();
    let set = |task, version| RouteChanges {
        tasks: vec![(TaskId(1), task)],
        ..RouteChanges::none(RoutesVersion(version))
    };
    table.apply(set(None, 8));
    assert_eq!(ids(&table, &poweron(1, &[5])), [2]);
    table.apply(set(Some(task(1, 1)), 9));
    assert_eq!(ids(&table, &poweron(1, &[5])), [1, 2]);
    assert_eq!(table.version, RoutesVersion(9));
}

#[test]
fn changes_move_events_and_deleted_webhook_removes_tasks() {
    let mut table = table();
    let moved = RouteChanges {
        version: RoutesVersion(8),
        webhooks: vec![(WebhookId(2), Some(webhook(2)))],
        tasks: vec![(TaskId(2), Some(task(2, 2)))],
        events: vec![
            (EventId(1), Some(event(1, Target::Tag(TagId(6)), 2))),
            (EventId(2), None),
            (EventId(9), None),
        ],
    };
    table.apply(moved);
    assert_eq!(ids(&table, &poweron(1, &[4])), [0; 0]);
    assert_eq!(ids(&table, &poweron(1, &[6])), [2]);
    let gone = RouteChanges {
        webhooks: vec![(WebhookId(2), None)],
        ..RouteChanges::none(RoutesVersion(9))
    };
    table.apply(gone);
    assert_eq!(ids(&table, &poweron(1, &[5, 6])), [0; 0]);
    assert!(table.task(TaskId(1)).is_some() && table.task(TaskId(2)).is_none());
}

#[test]
fn table_with_many_consumed_tasks_is_overgrown() {
    let mut table = table();
    for n in 100..100 + 2 * SLACK as i64 {
        assert_eq!(table.is_overgrown(), n > 100 + SLACK as i64 + 7, "{n}");
        let once = RouteChanges {
            tasks: vec![(TaskId(n), Some(task(n, 1)))],
            events: vec![(EventId(n), Some(event(n, Target::Generic, n)))],
            ..RouteChanges::none(RoutesVersion(n))
        };
        table.apply(once);
        table.consumed(&[TaskId(n)], RoutesVersion(n + 1));
        assert_eq!(ids(&table, &poweron(9, &[])), [0; 0]);
    }
}
