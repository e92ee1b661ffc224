//! Rows that are used in several turns, and rows that an enqueue leaves for later.

use chrono::TimeDelta;
use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::webhooks::{
    Enqueue, Enqueued, NewOutbox, Origin, OutboxId, OutboxRow, Precondition, RemainingTasks,
    RoutesVersion,
};
use webhook_model::{
    Audience, Data, MAX_CHOSEN, MAX_DATA, Occurrence, TaskId, WebhookId, WebhookIds,
};

use crate::fixtures::{at, direct, full_occurrence, message, occurrence, outbox, queued, trace};
use crate::harness::Webhooks;

async fn due(store: &Webhooks, now: i64) -> Vec<OutboxRow> {
    outbox(store, now).await
}

fn turn(row: OutboxId, turn: u32, left: Option<(RemainingTasks, i64)>) -> Origin {
    Origin::Outbox {
        row,
        turn,
        occurrence: None,
        left: left.map(|(left, due)| (left, at(due))),
    }
}

fn is_stored(enqueued: &Enqueued) -> bool {
    matches!(enqueued, Enqueued::Stored { .. })
}

/// An occurrence must keep its audience; a pushed row must wait with all its tasks, in its first
/// round.
pub async fn o07_an_audience_comes_back(store: Webhooks) {
    let audiences = [
        Audience::OneSystem,
        Audience::Operators,
        Audience::Tenant(TenantId(u128::MAX)),
        Audience::Owner(OwnerId(u128::MAX - 1)),
    ];
    for audience in audiences {
        let mut pushed = full_occurrence();
        pushed.audience = audience;
        store.outbox.push_outbox(&pushed, at(3)).await.unwrap();
    }
    let mut rows = due(&store, 3).await;
    assert_eq!(rows.len(), 4, "O7 all");
    rows.sort_by_key(|row| row.id);
    for (row, audience) in rows.iter().zip(audiences) {
        let found = row.occurrence.as_ref().map(|o| o.audience);
        assert_eq!(found, Ok(audience), "O7");
        let found = (&row.left, row.turn, row.created);
        assert_eq!(
            found,
            (&RemainingTasks::After(TaskId(0)), 0, at(3)),
            "O7 at first"
        );
    }
}

/// Rows must be returned when they are due, to the microsecond and not before, the oldest due
/// first.
pub async fn o08_rows_come_when_they_are_due(store: Webhooks) {
    // Fractions of a microsecond are cut.
    let later = [("c", 9, 0), ("a", 5, 0), ("b", 5, 999)].map(|(event, due, nanos)| NewOutbox {
        occurrence: occurrence(event),
        left: RemainingTasks::After(TaskId(0)),
        by: None,
        due: at(due) + TimeDelta::nanoseconds(nanos),
    });
    let batch = Enqueue {
        later: later.to_vec(),
        ..direct(Vec::new())
    };
    store.queue.enqueue(batch, at(0)).await.unwrap();
    let events = async |now| {
        let rows = due(&store, now).await.into_iter();
        let event = |row: OutboxRow| row.occurrence.unwrap().event.as_str().to_owned();
        rows.map(event).collect::<Vec<_>>()
    };
    assert_eq!(events(4).await, [""; 0], "O8 too early");
    assert_eq!(events(5).await, ["a", "b"], "O8 at their time");
    assert_eq!(events(99).await, ["a", "b", "c"], "O8 the oldest due first");
    let early = store.outbox.take_outbox(1, 9, at(9), at(4)).await.unwrap();
    assert_eq!(early, None, "O8 by a clock that is behind");
}

/// The rows that an enqueue adds for later must be stored with it, complete, and not if it is
/// refused; that must not make the id of such an occurrence known.
pub async fn o10_remaining_tasks_are_stored_with_the_enqueue(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let later = NewOutbox {
        occurrence: full_occurrence(),
        left: RemainingTasks::Tasks(vec![TaskId(5)]),
        by: Some(OwnerId(7)),
        due: at(2),
    };
    let batch = |hook, precondition, id| Enqueue {
        precondition,
        later: vec![later.clone(), later.clone()],
        ..direct(vec![message(hook, id, at(0))])
    };
    let old = Precondition::Realms(vec![(Realm::Shared, RoutesVersion(-1))]);
    let refused = store.queue.enqueue(batch(hook, old, "a"), at(1)).await;
    assert_eq!(refused.unwrap(), Enqueued::RoutesChanged, "O10 refused");
    let nowhere = WebhookId(hook.0 + 1000);
    let refused = store
        .queue
        .enqueue(batch(nowhere, Precondition::Nothing, "b"), at(1))
        .await;
    assert!(refused.is_err(), "O10 refused too");
    assert_eq!(due(&store, 99).await, [], "O10 nothing stored");
    let stored = store
        .queue
        .enqueue(batch(hook, Precondition::Nothing, "c"), at(1))
        .await;
    assert!(is_stored(&stored.unwrap()), "O10 stored");
    let rows = due(&store, 2).await;
    assert_eq!(rows.len(), 2, "O10 both");
    for row in rows {
        assert_eq!(row.occurrence, Ok(full_occurrence()), "O10 whole");
        let found = (&row.left, row.turn, row.created);
        assert_eq!(found, (&later.left, 0, at(1)), "O10 as it was left");
        assert_eq!(row.by, Some(OwnerId(7)), "O10 and who made it");
        let first = Origin::Outbox {
            row: row.id,
            turn: 0,
            occurrence: None,
            left: None,
        };
        let batch = Enqueue {
            origin: first,
            ..direct(Vec::new())
        };
        let used = store.queue.enqueue(batch, at(3)).await.unwrap();
        assert!(is_stored(&used), "O10 used up");
    }
}

/// Audiences must take turns: the one that was reserved longest ago comes first, with its own rows
/// in order. No other holder may take a reserved one until it is given back or its time is over.
pub async fn o12_audiences_take_turns(store: Webhooks) {
    let push = async |audience| {
        let mut pushed = occurrence("on");
        pushed.audience = audience;
        store.outbox.push_outbox(&pushed, at(0)).await.unwrap()
    };
    let tenants = [1, 2, 3].map(|n| Audience::Tenant(TenantId(n)));
    let mut many = Vec::new();
    for _ in 0..5 {
        many.push(push(tenants[0]).await);
    }
    push(tenants[1]).await;
    push(tenants[2]).await;
    let take = async |holder, now| {
        let taken = store.outbox.take_outbox(holder, 2, at(now + 10), at(now));
        taken.await.unwrap()
    };
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..3 {
        let taken = take(1, 0).await.expect("O12 each in turn");
        if taken.audience == tenants[0].into() {
            let ids: Vec<_> = taken.rows.iter().map(|row| row.id).collect();
            assert_eq!(ids, many[..2], "O12 its own in order");
        }
        assert!(seen.insert(taken.audience), "O12 none twice");
    }
    assert_eq!(take(2, 5).await, None, "O12 another has them all");
    let mine = tenants[1].into();
    store.outbox.give_back_outbox(mine, 2).await.unwrap();
    assert_eq!(take(2, 5).await, None, "O12 only its holder gives it back");
    store.outbox.give_back_outbox(mine, 1).await.unwrap();
    let taken = take(2, 5).await.expect("O12 given back");
    assert_eq!(taken.audience, mine, "O12 given back");
    let taken = take(3, 10).await.expect("O12 its time is over");
    assert_ne!(taken.audience, mine, "O12 its time is over");
}

/// The data of an occurrence, up to the last byte that it may have, and its trace must wait with
/// it, whether it was pushed or an enqueue added it for later.
pub async fn o16_trigger_input_waits_with_its_occurrence(store: Webhooks) {
    let largest = format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_DATA - 8));
    let odd = r#"{"":[1.5,-1,18446744073709551615,1e300],"é\"":"\u0000\u2028"}"#;
    for text in [largest.as_str(), odd, "{}"] {
        let mut brings = occurrence("on");
        brings.data = Some(text.parse::<Data>().unwrap());
        brings.trace = Some(trace());
        waits_as_it_was(&store, &brings, "O16").await;
    }
}

/// The webhooks that an occurrence is for, and its channel, must wait with it.
pub async fn o17_whom_an_occurrence_is_for_waits_with_it(store: Webhooks) {
    let most = (0..MAX_CHOSEN as i64).map(|n| WebhookId(i64::MAX - n));
    let long = "x".repeat(64);
    let chosen = [
        None,
        Some(WebhookIds::new([WebhookId(-1)])),
        Some(WebhookIds::new(most)),
    ];
    for (to, channel) in chosen
        .into_iter()
        .zip([Some("A.b_c-9"), None, Some(&*long)])
    {
        let mut meant = occurrence("on");
        meant.to = to.transpose().unwrap();
        meant.channel = channel.map(|channel| channel.parse().unwrap());
        waits_as_it_was(&store, &meant, "O17").await;
    }
}

/// Pushed rows, and rows that an enqueue left for later.
async fn waits_as_it_was(store: &Webhooks, brings: &Occurrence, test: &str) {
    store.outbox.push_outbox(brings, at(0)).await.unwrap();
    let batch = Enqueue {
        later: vec![NewOutbox {
            occurrence: brings.clone(),
            left: RemainingTasks::Tasks(vec![TaskId(1)]),
            by: None,
            due: at(0),
        }],
        ..direct(Vec::new())
    };
    store.queue.enqueue(batch, at(0)).await.unwrap();
    let rows = due(store, 0).await;
    assert_eq!(rows.len(), 2, "{test} both wait");
    for row in rows {
        assert_eq!(row.occurrence.as_ref(), Ok(brings), "{test} as it was");
        let used = Enqueue {
            origin: turn(row.id, row.turn, None),
            ..direct(Vec::new())
        };
        store.queue.enqueue(used, at(0)).await.unwrap();
    }
}
