//! The calls on the queue.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gatepost_ids::Realm;
use gatepost_storage::webhooks::*;
use gatepost_storage::{Revision, StoreError};
use webhook_model::{OccurrenceId, TaskId};

use super::side::{Side, answer, of, place, shown};
use super::step::{Call, End, Ending, From, Seen};
use crate::fixtures::{at, direct, message, occurrence, outbox, settlement_of};

/// A time at which all waiting deliveries are due.
pub(super) const LATE: i64 = 1_000_000;

/// Returns one of two ids, each in three realms.
fn occurrence_of(number: u8) -> (Realm, OccurrenceId) {
    let id = format!("o{}", number / 3);
    (Side::place(number % 3), id.parse().unwrap())
}

impl Side {
    /// Enqueues, in separate calls or several in one call.
    pub(super) async fn enqueue(&mut self, calls: &[Call], together: bool, now: i64) -> String {
        let mut batches = Vec::new();
        for call in calls {
            batches.extend(self.batch(call, now).await);
        }
        let queue = self.store.queue.clone();
        let answers = match (together, batches.pop()) {
            (false, Some(one)) => vec![queue.enqueue(one, at(now)).await],
            (_, last) => {
                batches.extend(last);
                queue.enqueue_all(batches, at(now)).await
            }
        };
        for row in outbox(&self.store, LATE).await {
            if !self.outbox.contains(&row.id) {
                self.outbox.push(row.id);
            }
        }
        let mut shown = String::new();
        for answer in answers {
            writeln!(shown, "{}", self.enqueued(answer, together).await).unwrap();
        }
        shown
    }

    async fn batch(&mut self, call: &Call, now: i64) -> Option<Enqueue> {
        let Call::Enqueue {
            webhooks,
            again,
            leased,
            from,
            seen,
            consume,
            later,
        } = call
        else {
            return None;
        };
        let mut deliveries = Vec::new();
        for webhook in webhooks {
            self.named += 1;
            let name = format!("m{}", self.named);
            deliveries.push(NewDelivery {
                due: at(now + i64::from(*webhook % 3)),
                lease_until: leased.then(|| at(now + 20)),
                body: format!("body of {name}\0").into(),
                task: consume.map(|n| self.task(n)),
                ..message(self.webhook(*webhook), &name, at(now))
            });
        }
        if let (Some(n), true) = (again, self.named > 0) {
            // The id of a removed delivery may be free or not.
            let known = self.delivery(*n);
            if let Some(known) = self.store.log.delivery(known).await.unwrap() {
                let id = known.message_id.as_str();
                deliveries.push(message(self.webhook(0), id, at(now)));
            }
        }
        let origin = match from {
            From::Direct => Origin::Direct,
            From::Occurrence(n) => {
                let (place, id) = occurrence_of(*n);
                Origin::Occurrence { place, id }
            }
            From::Outbox(n, named, left) => {
                let turn = self.turn(*n).await;
                let due = |left: u8| at(now + i64::from(left));
                Origin::Outbox {
                    row: of(&self.outbox, *n, OutboxId(i64::MAX)),
                    turn,
                    occurrence: named.filter(|_| turn == 0).map(occurrence_of),
                    left: left.map(|n| (RemainingTasks::After(TaskId(n.into())), due(n))),
                }
            }
        };
        let precondition = self.precondition(seen).await;
        let later = later.iter().flat_map(|n| [*n, *n + 1]).map(|n| NewOutbox {
            occurrence: occurrence("later"),
            left: RemainingTasks::Tasks(vec![TaskId(n.into())]),
            by: None,
            due: at(now + i64::from(n)),
        });
        Some(Enqueue {
            precondition,
            origin,
            consume: consume.iter().map(|n| self.task(*n)).collect(),
            later: later.collect(),
            ..direct(deliveries)
        })
    }

    async fn enqueued(&mut self, answer: Result<Enqueued, StoreError>, together: bool) -> String {
        match answer {
            Ok(Enqueued::Stored {
                deliveries, moved, ..
            }) => {
                for stored in &deliveries {
                    self.deliveries.push(stored.id);
                    self.given(stored.id, stored.token);
                }
                let leased = deliveries.iter().filter(|d| d.token.is_some()).count();
                let mut realms = Vec::new();
                for (realm, version) in moved {
                    let now = self.store.records.routes_versions(&[realm]).await;
                    let now = now.unwrap()[0];
                    // A later batch of the same call may have moved it further.
                    assert!(
                        now == version || together && now > version,
                        "a version that moved"
                    );
                    realms.push(realm);
                }
                realms.sort_unstable();
                format!(
                    "{} stored, {leased} leased, moved: {realms:?}",
                    deliveries.len()
                )
            }
            Ok(Enqueued::RowsChanged(rows)) => {
                let known = |row| match row {
                    RecordId::Task(id) => ("task", place(&self.tasks, &id)),
                    RecordId::Event(id) => ("event", place(&self.events, &id)),
                    RecordId::Webhook(id) => panic!("webhook {id} was not shown"),
                };
                let changed: BTreeSet<_> = rows.into_iter().map(known).collect();
                format!("rows changed: {changed:?}")
            }
            Ok(other) => format!("{other:?}"),
            Err(error) => format!("{:?}", error.kind()),
        }
    }

    async fn precondition(&self, seen: &Seen) -> Precondition {
        let records = &self.store.records;
        match seen {
            Seen::None => Precondition::Nothing,
            Seen::Present(places) => {
                let places: Vec<Realm> = places.iter().map(|n| Self::place(*n)).collect();
                let versions = records.routes_versions(&places).await.unwrap();
                Precondition::Realms(places.into_iter().zip(versions).collect())
            }
            Seen::Old(n) => {
                let place = Self::place(*n);
                let versions = records.routes_versions(&[place]).await.unwrap();
                Precondition::Realms(vec![(place, RoutesVersion(versions[0].0 - 1))])
            }
            Seen::Rows { number, old } => {
                let (task, event) = (self.task(*number), self.event(*number));
                let first = records.task(task).await.unwrap();
                let first = first.map_or(Revision::FIRST, |row| row.revision);
                let second = records.event(event).await.unwrap();
                let second = second.map_or(Revision::FIRST, |row| row.revision);
                let second = if *old { second.next() } else { second };
                Precondition::Rows(vec![
                    (RecordId::Task(task), first),
                    (RecordId::Event(event), second),
                ])
            }
        }
    }

    /// Returns the present turn of a row of the outbox, or the last known one.
    pub(super) async fn turn(&self, n: u8) -> u32 {
        let id = of(&self.outbox, n, OutboxId(i64::MAX));
        let rows = outbox(&self.store, LATE).await;
        let row = rows.iter().find(|row| row.id == id);
        row.map_or(0, |row| row.turn)
    }

    /// Records a token, which must not have been given before.
    pub(super) fn given(&mut self, id: DeliveryId, token: Option<ClaimToken>) {
        let Some(token) = token else { return };
        let tokens = self.tokens.entry(id).or_default();
        assert!(!tokens.contains(&token), "a token was given twice");
        tokens.push(token);
    }

    pub(super) async fn claim(&mut self, queues: &[(u8, u8, u8)], now: i64) -> String {
        let mut asked: Vec<QueueClaim> = Vec::new();
        for (webhook, class, limit) in queues {
            let class = match class {
                0 => QueueClass::First,
                1 => QueueClass::Retry,
                2 => QueueClass::Lost,
                _ => QueueClass::Quarantine,
            };
            let queue = WebhookQueue {
                webhook: self.webhook(*webhook),
                class,
            };
            if !asked.iter().any(|other| other.queue == queue) {
                asked.push(QueueClaim {
                    queue,
                    limit: u32::from(*limit),
                });
            }
        }
        let claimed = self
            .store
            .queue
            .claim(&asked, at(now + 15), at(now))
            .await
            .unwrap();
        let mut text = String::new();
        for claimed in claimed {
            self.given(claimed.delivery.id, Some(claimed.token));
            let (class, revision) = (claimed.class, claimed.revision);
            let delivery = self.show(claimed.delivery);
            writeln!(text, "{class:?} {revision:?} {delivery}").unwrap();
        }
        text
    }

    /// A store may or may not still know how a delivery ended that is no longer shown.
    pub(super) async fn settle(&self, endings: &[Ending], now: i64) -> String {
        let mut is_shown = Vec::with_capacity(endings.len());
        for ending in endings {
            let delivery = self.store.log.delivery(self.delivery(ending.of)).await;
            is_shown.push(delivery.unwrap().is_some());
        }
        let settlements = endings.iter().map(|ending| {
            let delivery = self.delivery(ending.of);
            let tokens = self.tokens.get(&delivery).map_or(&[][..], Vec::as_slice);
            let token = tokens.iter().rev().nth(usize::from(ending.claims_ago));
            let token = token.copied().unwrap_or(ClaimToken(i64::MAX));
            let disposition = match ending.end {
                End::Sent => Disposition::Sent,
                End::Failed => Disposition::Failed,
                End::Retry(after) => Disposition::Retry {
                    due: at(now + i64::from(after)),
                },
                End::Release(after) => Disposition::Release {
                    due: at(now + i64::from(after)),
                },
            };
            let mut settlement = settlement_of(Claim { delivery, token }, disposition);
            settlement.attempt = settlement.attempt.filter(|_| ending.attempted);
            settlement.keep_message = ending.kept;
            settlement
        });
        let settled = self
            .store
            .queue
            .settle(settlements.collect(), at(now))
            .await;
        answer(settled, |settled| {
            let seen = settled.iter().zip(is_shown);
            shown(
                seen.map(|(ended, is_shown)| is_shown.then_some(ended))
                    .collect::<Vec<_>>(),
            )
        })
    }
}
