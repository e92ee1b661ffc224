//! Every field of a row of the outbox.

use gatepost_storage::webhooks::{
    Enqueue, Enqueued, NewOutbox, Origin, OutboxId, OutboxRow, PutBack, RemainingTasks,
};
use webhook_model::{Occurrence, OwnerId, TaskId};

use super::home::Home;
use crate::fields::{difference, of_outbox_row};
use crate::fixtures::{at, direct, occurrence, outbox};
use crate::harness::Webhooks;
use crate::outcome::Outcome;

/// Every field of a row of the outbox is stored, separately and exactly, whether it was pushed or
/// added for later. Continuing or postponing it must change the remaining tasks, the due time and
/// the round, and nothing else. Every read must return the same, also when the store is opened
/// again.
pub async fn f08_every_field_of_an_outbox_row_is_kept(home: Home) -> Outcome {
    let store = home.fresh().await;
    let mut rows = Vec::new();
    for occurrence in occurrences() {
        let pushed = store.outbox.push_outbox(&occurrence, at(3)).await;
        rows.push(row(pushed.expect("F8 a row is pushed"), occurrence));
    }
    are_kept(&store, &mut rows, "pushed").await;
    for occurrence in occurrences() {
        let left = (RemainingTasks::After(TaskId(7)), None);
        leave(&store, &mut rows, occurrence, left).await;
    }
    for left in [
        (
            RemainingTasks::Tasks(vec![TaskId(9), TaskId(3)]),
            Some(OwnerId(7)),
        ),
        (RemainingTasks::After(TaskId(8)), Some(OwnerId(u128::MAX))),
    ] {
        leave(&store, &mut rows, occurrence("on"), left).await;
    }
    are_kept(&store, &mut rows, "left for later").await;
    for turn in 0..2 {
        for row in &mut rows {
            row.left = RemainingTasks::After(TaskId(100 + i64::from(turn)));
            move_on(&store, row, turn).await;
        }
        are_kept(&store, &mut rows, "moved on").await;
    }
    for row in &mut rows {
        let later = PutBack::Until(at(9));
        let put_off = store.outbox.put_back(row.id, row.turn, later).await;
        put_off.expect("F8 a row is put off");
        row.turn += 1;
    }
    are_kept(&store, &mut rows, "put off").await;
    if let Some(store) = home.reopen(store).await {
        are_kept(&store, &mut rows, "opened again").await;
    }
    Outcome::Held
}

fn row(id: OutboxId, occurrence: Occurrence) -> OutboxRow {
    OutboxRow {
        id,
        occurrence: Ok(occurrence),
        left: RemainingTasks::After(TaskId(0)),
        by: None,
        turn: 0,
        created: at(3),
    }
}

/// Returns occurrences that differ in one field.
fn occurrences() -> Vec<Occurrence> {
    let base = row(OutboxId(0), occurrence("poweron"));
    let mut all: Vec<_> = base.occurrence.iter().cloned().collect();
    for field in of_outbox_row(&base) {
        let of_it = field.name().starts_with("row.occurrence.");
        let values = field.values().iter().filter(|_| of_it);
        all.extend(values.filter_map(|value| value.occurrence.clone().ok()));
    }
    all
}

/// Stores an occurrence with an enqueue, as the remainder for later of this user's occurrence.
async fn leave(
    store: &Webhooks,
    rows: &mut Vec<OutboxRow>,
    occurrence: Occurrence,
    (left, by): (RemainingTasks, Option<OwnerId>),
) {
    let before: Vec<_> = outbox(store, 50).await.iter().map(|row| row.id).collect();
    let later = NewOutbox {
        occurrence: occurrence.clone(),
        left: left.clone(),
        by,
        due: at(5),
    };
    enqueue(
        store,
        Enqueue {
            later: vec![later],
            ..direct(Vec::new())
        },
    )
    .await;
    let found = outbox(store, 50).await.into_iter();
    let new = found.map(|row| row.id).find(|id| !before.contains(id));
    rows.push(OutboxRow {
        left,
        by,
        ..row(
            new.expect("F8 what was left for later is there"),
            occurrence,
        )
    });
}

async fn move_on(store: &Webhooks, row: &mut OutboxRow, turn: u32) {
    let origin = Origin::Outbox {
        row: row.id,
        turn,
        occurrence: None,
        left: Some((row.left.clone(), at(7))),
    };
    enqueue(
        store,
        Enqueue {
            origin,
            ..direct(Vec::new())
        },
    )
    .await;
    row.turn = turn + 1;
}

async fn enqueue(store: &Webhooks, batch: Enqueue) {
    let stored = store.queue.enqueue(batch, at(3)).await;
    let stored = stored.expect("F8 an enqueue is stored");
    assert!(matches!(stored, Enqueued::Stored { .. }), "F8 {stored:?}");
}

async fn are_kept(store: &Webhooks, rows: &mut [OutboxRow], when: &str) {
    let mut found = outbox(store, 50).await;
    found.sort_unstable_by_key(|row| row.id);
    rows.sort_unstable_by_key(|row| row.id);
    assert_eq!(found.len(), rows.len(), "F8 {when}: all are there");
    for (expected, found) in rows.iter().zip(&found) {
        if expected != found {
            let differs = difference(&of_outbox_row(expected), expected, found);
            panic!("F8 {when}: {}", differs.unwrap_or_default());
        }
    }
}
