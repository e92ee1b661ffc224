//! Several workers on the outbox at the same time.

use std::collections::BTreeSet;

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::webhooks::{
    Enqueue, Enqueued, OpenOutbox, Origin, OutboxId, OutboxTaken, PutBack, RemainingTasks,
};
use webhook_model::{Audience, TaskId};

use crate::fixtures::{at, claim, direct, from_outbox, message, occurrence, outbox, queued};
use crate::harness::Webhooks;

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

/// Of many who store what the same rows make, all rows in one call, each row is used up by one and
/// known to the others, whatever else is in the call.
pub async fn o13_rows_decided_together_are_used_up_once(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let mut rows = Vec::new();
    for _ in 0..10 {
        rows.push(push(&store, Audience::OneSystem, 0).await);
    }
    let racers: Vec<_> = (0..8)
        .map(|n| {
            let batch = |(row, place): (&OutboxId, usize)| Enqueue {
                origin: from_outbox(*row),
                ..direct(vec![message(hook, &format!("m{n}-{place}"), at(0))])
            };
            let batches = rows.iter().zip(0..).map(batch).collect();
            let queue = store.queue.clone();
            tokio::spawn(async move { queue.enqueue_all(batches, at(0)).await })
        })
        .collect();
    let mut stored = vec![0; rows.len()];
    for racer in racers {
        let answers = racer.await.unwrap();
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

/// The audience that was taken longest ago comes first, one that never was before all; its rows
/// come by due time, at most the limit, from where its last holder stopped.
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

/// A row that was set aside or put off holds nobody up: neither the other rows of its audience, nor
/// other audiences. An audience whose holder died is another's when its time is over, and then not
/// the holder's to give back.
pub async fn o15_what_is_put_off_holds_nobody_up(store: Webhooks) {
    let (stuck, busy) = (Audience::Tenant(TenantId(1)), Audience::Tenant(TenantId(2)));
    let mut rows = Vec::new();
    for audience in [stuck, stuck, busy, busy, busy] {
        rows.push(push(&store, audience, 0).await);
    }
    for row in [rows[0], rows[2]] {
        let aside = PutBack::Aside("no such type".to_owned());
        let done = store.outbox.put_back(row, 0, aside).await;
        assert!(done.is_ok(), "O15 set aside");
    }
    for row in [rows[1], rows[3]] {
        let later = PutBack::Until(at(50));
        let done = store.outbox.put_back(row, 0, later).await;
        assert!(done.is_ok(), "O15 put off");
    }
    let taken = take(&store, 1, 9, 0).await.expect("O15 one row is due");
    assert_eq!(
        (taken.audience, ids(&taken)),
        (busy.into(), vec![rows[4]]),
        "O15"
    );
    assert_eq!(take(&store, 2, 9, 9).await, None, "O15 no other");
    let taken = take(&store, 2, 9, 10).await.expect("O15 its holder died");
    assert_eq!(taken.audience, busy.into(), "O15 its holder died");
    store
        .outbox
        .give_back_outbox(taken.audience, 1)
        .await
        .unwrap();
    assert_eq!(take(&store, 3, 9, 11).await, None, "O15 not its any more");
    let late = take(&store, 3, 9, 50)
        .await
        .expect("O15 put off until then");
    let other = take(&store, 4, 9, 50).await.expect("O15 and the other");
    let mut found = [(late.audience, ids(&late)), (other.audience, ids(&other))];
    found.sort_unstable();
    let wanted = [
        (stuck.into(), vec![rows[1]]),
        (busy.into(), vec![rows[4], rows[3]]),
    ];
    assert_eq!(found, wanted, "O15 when they are due");
}

/// What is left of an audience's rows is read whether they are due or not and whoever has the
/// audience, in order of their numbers, those before the given one, at most the limit. Other
/// audiences' rows, those set aside and those used up are not among them.
pub async fn o18_open_rows_of_an_audience_are_read(store: Webhooks) {
    let (own, other) = (Audience::Tenant(TenantId(1)), Audience::Owner(OwnerId(1)));
    let open = async |before: OutboxId, limit| {
        let open = store.outbox.open_outbox(own.into(), before, limit);
        open.await.unwrap()
    };
    let all = OutboxId(i64::MAX);
    assert_eq!(open(all, 9).await, [], "O18 none yet");
    let mut rows = Vec::new();
    for due in [30, 10, 20, 40, 50] {
        push(&store, other, 1).await;
        rows.push((push(&store, own, due).await, due));
    }
    let aside = PutBack::Aside("no such type".to_owned());
    store.outbox.put_back(rows[1].0, 0, aside).await.unwrap();
    let later = PutBack::Until(at(25));
    store.outbox.put_back(rows[2].0, 0, later).await.unwrap();
    let tasks = RemainingTasks::Tasks(vec![TaskId(7), TaskId(3)]);
    for (row, left) in [
        (rows[3].0, Some((tasks.clone(), at(70)))),
        (rows[4].0, None),
    ] {
        let origin = Origin::Outbox {
            row,
            turn: 0,
            occurrence: None,
            left,
        };
        let used = Enqueue {
            origin,
            ..direct(Vec::new())
        };
        let used = store.queue.enqueue(used, at(0)).await.unwrap();
        assert!(matches!(used, Enqueued::Stored { .. }), "O18 used");
    }
    let whole = RemainingTasks::After(TaskId(0));
    let expected = [
        (rows[0].0, whole.clone(), at(30)),
        (rows[2].0, whole, at(25)),
        (rows[3].0, tasks, at(70)),
    ]
    .map(|(id, left, due)| OpenOutbox { id, left, due });
    assert_eq!(open(all, 9).await, expected, "O18 in order");
    assert_eq!(open(rows[3].0, 9).await, expected[..2], "O18 before one");
    assert_eq!(open(all, 1).await, expected[..1], "O18 at most");
    let taken = take(&store, 1, 9, 99).await.expect("O18 rows are due");
    assert_eq!(open(all, 9).await, expected, "O18 whoever has them");
    let back = store.outbox.give_back_outbox(taken.audience, 1).await;
    assert!(back.is_ok(), "O18 given back");
}
