//! The calls on owners, and further ones on records.

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::owners::{OwnerFilter, Removal};
use gatepost_storage::webhooks::*;
use gatepost_storage::{Page, Scope};

use super::side::{LIMITS, Side, answer, place, shown};
use super::step::{OwnerCall, RecordCall};
use crate::fixtures::{UNLIMITED, at, task, webhook_of};
use crate::world::Held;

const OWNERS: [OwnerId; 3] = [OwnerId(1), OwnerId(2), OwnerId(3)];

fn owner(number: u8) -> OwnerId {
    OwnerId(u128::from(number) + 1)
}

impl Side {
    pub(super) async fn owner_call(&mut self, call: OwnerCall, now: i64) -> String {
        let (records, log) = (self.store.records.clone(), self.store.log.clone());
        let time = at(now);
        match call {
            OwnerCall::Realm(n, to) => {
                let owner = owner(n);
                let to = match Self::place(to) {
                    Realm::Solo(_) => Realm::Solo(owner),
                    other => other,
                };
                let placed = records.assign_realm(owner, to, time).await;
                if self.owners.gone.remove(&owner) {
                    records.hold_owner(owner, false, time).await.unwrap();
                }
                // The time at which an owner without waiting deliveries has moved is up to the
                // store until then.
                self.remove_gone(2).await;
                answer(placed, shown)
            }
            OwnerCall::Hold(n, held) if !self.owners.gone.contains(&owner(n)) => {
                answer(records.hold_owner(owner(n), held, time).await, shown)
            }
            OwnerCall::Remove(n) => {
                self.owners.gone.insert(owner(n));
                answer(
                    records.mark_gone(Removal::Owner(owner(n)), time).await,
                    shown,
                )
            }
            OwnerCall::RemoveTenant(n) => {
                let tenant = TenantId(n.into());
                for owner in OWNERS {
                    let row = records.owner(owner).await.unwrap();
                    if row.is_some_and(|row| row.realm == Realm::Tenant(tenant)) {
                        self.owners.gone.insert(owner);
                    }
                }
                answer(
                    records.mark_gone(Removal::Tenant(tenant), time).await,
                    shown,
                )
            }
            OwnerCall::RemoveGone(limit) => {
                self.remove_gone(limit.into()).await;
                String::new()
            }
            OwnerCall::Use(n, by) if !self.owners.gone.contains(&owner(n)) => {
                let delta = UsageDelta {
                    owner: owner(n),
                    waiting: by.into(),
                    waiting_bytes: i64::from(by) * 2,
                    log_bytes: i64::from(by) * 3,
                };
                answer(log.add_usage(&[delta]).await, shown)
            }
            OwnerCall::Recount(n) if !self.owners.gone.contains(&owner(n)) => {
                answer(log.recount_usage(owner(n), u64::MAX).await, shown)
            }
            OwnerCall::Hold(..) | OwnerCall::Use(..) | OwnerCall::Recount(_) => "gone".to_owned(),
            OwnerCall::Drop(n, minute) => {
                let rejected = RejectedCount {
                    webhook: self.webhook(n),
                    reason: RejectReason::Waiting,
                    minute: at(i64::from(minute) * 60),
                    count: 1 + u64::from(n),
                };
                answer(log.count_rejected(&[rejected]).await, shown)
            }
            OwnerCall::Look => self.owners_shown().await,
        }
    }

    pub(super) async fn remove_gone(&self, limit: u32) {
        loop {
            let removed = self.store.records.remove_gone(limit, at(0)).await.unwrap();
            assert!(
                removed <= u64::from(limit),
                "{removed} were removed, of {limit}"
            );
            if removed < u64::from(limit) {
                break;
            }
        }
    }

    async fn owners_shown(&self) -> String {
        let records = &self.store.records;
        let mut rows = Vec::new();
        for owner in OWNERS {
            let usage = records.record_usage(owner).await.unwrap();
            rows.push((records.owner(owner).await.unwrap(), usage));
        }
        let held = records
            .list_owners(OwnerFilter::Suspended, None, 9)
            .await
            .unwrap();
        let unplaced = records
            .list_owners(OwnerFilter::Unplaced, None, 9)
            .await
            .unwrap();
        let used = self.store.log.log_usage(&OWNERS).await.unwrap();
        let mut rejected: Vec<_> = Vec::new();
        for row in self.store.log.rejected(Scope::All, 99).await.unwrap() {
            let webhook = place(&self.webhooks, &row.webhook);
            rejected.push((row.minute, webhook, row.count));
        }
        rejected.sort_unstable();
        format!("{rows:?} {held:?} {unplaced:?} {used:?} {rejected:?}")
    }

    pub(super) async fn record_call(&mut self, call: RecordCall, now: i64) -> String {
        let records = self.store.records.clone();
        let time = at(now);
        match call {
            RecordCall::InsertWebhook(n, name) => {
                if self.owners.gone.contains(&owner(n)) {
                    return "gone".to_owned();
                }
                let new = webhook_of(owner(n).0, &format!("w{name}"));
                let twin = WebhookQuery {
                    scope: Scope::Owner(owner(n)),
                    name: Some(format!("w{name}")),
                    page: Page::first(1),
                };
                // The named reason is up to the store if there are two.
                let known = !records.list_webhooks(&twin).await.unwrap().is_empty();
                let limits = if known { UNLIMITED } else { LIMITS };
                let row = records.insert_webhook(&new, limits, time).await;
                answer(row, |row| {
                    self.webhooks.push(row.id);
                    format!("stored {:?}", row.owner)
                })
            }
            RecordCall::GiveTask(n, webhook) => {
                let Some(mut row) = records.task(self.task(n)).await.unwrap() else {
                    return "none".to_owned();
                };
                row.value.action = task(self.webhook(webhook)).action;
                let row = records.update_task(&row, LIMITS, time).await;
                answer(row, |row| format!("{:?} {:?}", row.owner, row.revision))
            }
            RecordCall::EnableTask(n, enabled) => {
                let Some(mut row) = records.task(self.task(n)).await.unwrap() else {
                    return "none".to_owned();
                };
                row.value.enabled = enabled;
                let row = records.update_task(&row, LIMITS, time).await;
                answer(row, |row| format!("{:?} {:?}", row.owner, row.revision))
            }
            RecordCall::GiveEvent(n, task) => {
                let Some(mut row) = records.event(self.event(n)).await.unwrap() else {
                    return "none".to_owned();
                };
                row.value.task = self.task(task);
                let row = records.update_event(&row, LIMITS, time).await;
                answer(row, |row| format!("{:?} {:?}", row.owner, row.revision))
            }
            RecordCall::Change(table, n, with) => self.change(table, n, with, time).await,
            RecordCall::Match(n) => self.matched(Self::place(n)).await,
            RecordCall::List(n) => {
                let scope = match n {
                    0..3 => Scope::Owner(owner(n)),
                    3..5 => Scope::Tenant(TenantId(u128::from(n) - 2)),
                    _ => Scope::All,
                };
                self.listed(scope).await
            }
        }
    }

    /// Returns the routes of a realm, which must equal those held in memory plus the changes since
    /// then.
    pub(super) async fn matched(&mut self, at_place: Realm) -> String {
        let now = Held::read(&self.store, at_place).await;
        let mut held = self.owners.held.get(&at_place).unwrap_or(&now).clone();
        held.catch_up(&self.store, at_place).await;
        assert_eq!(
            held.that_runs(),
            now.that_runs(),
            "what has changed in {at_place}"
        );
        let runs = now.that_runs();
        self.owners.held.insert(at_place, now);
        let tasks = runs.tasks.values().map(|task| {
            let webhook = place(&self.webhooks, &task.webhook);
            (
                place(&self.tasks, &task.id),
                webhook,
                task.owner,
                task.revision,
            )
        });
        let tasks: Vec<_> = tasks.collect();
        let events = runs.events.values().map(|event| {
            let task = place(&self.tasks, &event.task);
            (place(&self.events, &event.id), task, event.revision)
        });
        let events: Vec<_> = events.collect();
        format!("{tasks:?} {events:?}")
    }
}
