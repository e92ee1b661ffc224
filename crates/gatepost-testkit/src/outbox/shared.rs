//! Several workers on the outbox at the same time.

use std::collections::BTreeSet;

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::webhooks::{Enqueue, Enqueued, OutboxId, OutboxTaken};
use webhook_model::Audience;

use crate::fixtures::{at, claim, direct, from_outbox, message, occurrence, outbox, queued};
use crate::harness::Webhooks;
use crate::runtime::racing;

async fn push(store: &Webhooks, audience: Audience, now: i64) -> OutboxId {
    let mut pushed = occurrence("on");
    pushed.audience = audience;
    store.outbox.push_outbox(&pushed, at(now)).await.unwrap()
}

async fn take(store: &Webhooks, holder: u128, limit: u32, now: i64) -> Option<OutboxTaken> {
    let taken = store
        .outbox
        .take_outbox(holder, limit, at(now + 10), at(now));
    taken.await.unwrap()
}

fn ids(taken: &OutboxTaken) -> Vec<OutboxId> {
    taken.rows.iter().map(|row| row.id).collect()
}

/// If several callers process the same rows, all rows in one call, each row must be consumed by
/// exactly one and be `AlreadyKnown` to the others, whatever else is in the call.
pub async fn o13_rows_decided_together_are_used_up_once(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let mut rows = Vec::new();
    for _ in 0..10 {
        rows.push(push(&store, Audience::OneSystem, 0).await);
    }
    let racers = (0..8).map(|n| {
        let batch = |(row, place): (&OutboxId, usize)| Enqueue {
            origin: from_outbox(*row),
            ..direct(vec![message(hook, &format!("m{n}-{place}"), at(0))])
        };
        let batches = rows.iter().zip(0..).map(batch).collect();
        let queue = store.queue.clone();
        async move { queue.enqueue_all(batches, at(0)).await }
    });
    let mut stored = vec![0; rows.len()];
    for racer in racing(racers).await {
        let answers = racer;
        assert_eq!(answers.len(), rows.len(), "O13 an answer for each");
        for (count, answer) in stored.iter_mut().zip(answers) {
            match answer.unwrap() {
                Enqueued::Stored { .. } => *count += 1,
                other => assert_eq!(other, Enqueued::AlreadyKnown, "O13 the others"),
            }
        }
    }
    assert_eq!(stored, [1; 10], "O13 each once");
    assert_eq!(
        claim(&store, hook, 0).await.len(),
        10,
        "O13 a delivery each"
    );
    assert_eq!(outbox(&store, 99).await, [], "O13 all are used up");
}

/// The audience that was reserved longest ago must come first, one that never was before all; its
/// rows must be returned by due time, at most the limit, from where its last holder stopped.
pub async fn o14_the_longest_waiting_audience_comes_first(store: Webhooks) {
    let audiences = [
        Audience::Tenant(TenantId(1)),
        Audience::Owner(OwnerId(1)),
        Audience::OneSystem,
    ];
    let mut rows = Vec::new();
    for audience in audiences {
        let mut own = Vec::new();
        for due in [3, 1, 2, 1] {
            own.push((due, push(&store, audience, due).await));
        }
        own.sort_unstable();
        rows.push(own.into_iter().map(|(_, id)| id).collect::<Vec<_>>());
    }
    let (mut first, mut holder) = (Vec::new(), 0);
    for round in 0..3_usize {
        for turn in 0..3_usize {
            holder += 1;
            let now = 10 + i64::try_from(round * 3 + turn).unwrap();
            let taken = take(&store, holder, 3, now)
                .await
                .expect("O14 rows are due");
            let place = audiences.iter().position(|a| taken.audience == (*a).into());
            let place = place.expect("O14 an audience that has rows");
            if round == 0 {
                first.push(taken.audience);
            }
            assert_eq!(taken.audience, first[turn], "O14 in turn");
            let most = rows[place].len().min(3);
            assert_eq!(ids(&taken), rows[place][..most], "O14 by due time");
            let used = Enqueue {
                origin: from_outbox(rows[place].remove(0)),
                ..direct(Vec::new())
            };
            let used = store.queue.enqueue(used, at(now)).await;
            assert!(matches!(used, Ok(Enqueued::Stored { .. })), "O14 used");
            let back = store.outbox.give_back_outbox(taken.audience, holder).await;
            assert!(back.is_ok(), "O14 given back");
        }
    }
    let new = Audience::Tenant(TenantId(9));
    push(&store, new, 20).await;
    let taken = take(&store, 99, 1, 20).await.expect("O14 rows are due");
    assert_eq!(taken.audience, new.into(), "O14 one that never was");
    let seen: BTreeSet<_> = first.iter().copied().collect();
    assert_eq!(seen.len(), 3, "O14 each of them");
}
