//! Holders of outbox rows, the results of a sweep, and counts.

use chrono::{DateTime, Utc};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::*;
use webhook_model::WebhookId;

use super::side::{Side, answer, of, place, shown};
use crate::fixtures::{at, due_queues};

/// The most audiences.
const AUDIENCES: usize = 9;

impl Side {
    /// Each holder takes one audience until there is none; the audiences at these indexes are given
    /// back, once by a holder that does not have it; then other holders take them.
    pub(super) async fn turns(&mut self, back: &[u8], now: i64) -> String {
        let taken = self.take_all(now).await;
        for number in back {
            let Some((audience, holder, _)) = taken.get(usize::from(*number)) else {
                continue;
            };
            let outbox = &self.store.outbox;
            let wrong = outbox.give_back_outbox(*audience, holder + 1_000_000).await;
            assert!(wrong.is_ok(), "nothing is given back");
            if number % 2 == 0 {
                let right = outbox.give_back_outbox(*audience, *holder).await;
                assert!(right.is_ok(), "it is given back");
            }
        }
        let again = self.take_all(now).await;
        let rows = |all: &[(OutboxAudience, u128, Vec<_>)]| -> Vec<_> {
            all.iter()
                .map(|(whose, _, rows)| (*whose, rows.clone()))
                .collect()
        };
        let mut open = Vec::new();
        for (audience, ..) in &taken {
            open.push(self.open(*audience).await);
        }
        format!("{:?} {:?} {open:?}", rows(&taken), rows(&again))
    }

    /// Returns the rows of an audience, with their due times, up to the newest of three.
    async fn open(&self, audience: OutboxAudience) -> Vec<(Option<usize>, DateTime<Utc>)> {
        let read = |before| self.store.outbox.open_outbox(audience, before, 3);
        let first = read(OutboxId(i64::MAX)).await.unwrap();
        let Some(newest) = first.last() else {
            return Vec::new();
        };
        let before = read(newest.id).await.unwrap();
        assert_eq!(before, first[..first.len() - 1], "those before it");
        let row = |row: &OpenOutbox| (place(&self.outbox, &row.id), row.due);
        first.iter().map(row).collect()
    }

    pub(super) async fn postpone(&self, n: u8, after: u8, now: i64) -> String {
        let id = of(&self.outbox, n, OutboxId(i64::MAX));
        let turn = self.turn(n).await;
        let later = PutBack::Until(at(now + i64::from(after)));
        let done = self.store.outbox.put_back(id, turn, later).await;
        answer(done, shown)
    }

    /// Takes every free audience, each by another holder: audience, holder, rows.
    async fn take_all(&mut self, now: i64) -> Vec<(OutboxAudience, u128, Vec<Option<usize>>)> {
        let mut all = Vec::new();
        loop {
            self.holders += 1;
            let holder = self.holders;
            let taken = self
                .store
                .outbox
                .take_outbox(holder, 2, at(now + 3), at(now));
            let Some(taken) = taken.await.unwrap() else {
                break;
            };
            assert!(all.len() < AUDIENCES, "an audience is taken twice");
            let rows = taken.rows.iter().map(|row| place(&self.outbox, &row.id));
            all.push((taken.audience, holder, rows.collect()));
        }
        // The first one of those that were never taken is up to the store.
        all.sort_unstable();
        all
    }

    /// Sweeps all queues, which finds the due ones and no other.
    pub(super) async fn sweep(&self, limit: u32, now: i64) -> String {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let which = Queues::Beyond(after);
            let page = self.store.queue.queues(which, limit, at(now)).await;
            let page = page.unwrap();
            found.extend(page.due);
            let Some(Queues::Beyond(next)) = page.more else {
                break;
            };
            assert!(next > after, "a sweep continues");
            after = next;
        }
        assert_eq!(found, due_queues(&self.store, now).await, "swept and due");
        let of = self.store.queue.queues_of(&self.webhooks, at(now)).await;
        assert_eq!(found, of.unwrap(), "swept and asked for");
        format!("{} queues", found.len())
    }

    pub(super) async fn count(&self, webhook: u8, hour: u8, now: i64) -> String {
        let n = u64::from(webhook) + 1;
        let count = HourlyCount {
            webhook: self.webhook(webhook),
            hour: at(i64::from(hour) * 10),
            sent: n,
            last_sent: (webhook > 0).then(|| at(now)),
            failed: n * 2,
            retried: n * 3,
            milliseconds: n * 4,
            bytes: n * 5,
        };
        let log = &self.store.log;
        let added = answer(log.add_counts(&[count, count]).await, shown);
        let room = log.prepare_log(at(now)).await;
        assert!(room.is_ok(), "the log is prepared");
        let all = log
            .hourly_counts(Scope::All, None, at(-100), at(1_000), 99)
            .await;
        let alike = |count: HourlyCount| {
            let webhook = place(&self.webhooks, &count.webhook);
            let id = WebhookId(0);
            (
                webhook,
                HourlyCount {
                    webhook: id,
                    ..count
                },
            )
        };
        let all: Vec<_> = all.unwrap().into_iter().map(alike).collect();
        format!("{added} {all:?}")
    }
}
