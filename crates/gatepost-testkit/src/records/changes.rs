//! Changes in a realm.

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::owners::Removal;
use gatepost_storage::webhooks::Cascade;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use webhook_model::Action;

use crate::fixtures::{UNLIMITED, at, change, event, place, task, tenant, version, webhook_of};
use crate::harness::Webhooks;
use crate::world::{Held, Set, hold, set};

/// Brings every held state of a realm up to date, and compares it with the realm.
async fn compare(store: &Webhooks, at_place: Realm, kept: &mut Vec<Held>, id: &str, what: &str) {
    let now = Held::read(store, at_place).await;
    for old in kept.iter() {
        let mut held = old.clone();
        held.catch_up(store, at_place).await;
        assert_eq!(held.version, now.version, "{id} version after {what}");
        assert_eq!(
            held.that_runs(),
            now.that_runs(),
            "{id} {what} in {at_place}"
        );
    }
    kept.push(now);
}

/// The changes that a store returns must turn the routes that a caller read earlier into those that
/// are matched now, whatever was done in between, and however long ago they were read.
pub async fn r37_changes_are_the_difference_of_two_reads(store: Webhooks) {
    let records = &store.records;
    let (a, b) = (set(&store, 1, "a").await, set(&store, 2, "b").await);
    place(&store, 1, tenant(1)).await;
    let (mut there, mut common) = (Vec::new(), Vec::new());
    let mut done = async |what: &str| {
        compare(&store, tenant(1), &mut there, "R37", what).await;
        compare(&store, Realm::Shared, &mut common, "R37", what).await;
    };
    let enable = async |of: Set, enabled| {
        let mut row = records.task(of.task).await.unwrap().unwrap();
        row.value.enabled = enabled;
        records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
    };
    let send = async |of: Set, through: Set| {
        let mut row = records.task(of.task).await.unwrap().unwrap();
        let Action::Send { webhook, .. } = &mut row.value.action else {
            panic!("R37 the task sends nothing");
        };
        *webhook = through.webhook;
        records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
    };
    done("nothing").await;
    change(&store, a.webhook, |w| w.allow_insecure = true).await;
    done("a webhook edited").await;
    let hook = records
        .insert_webhook(&webhook_of(1, "unused"), UNLIMITED, at(0))
        .await
        .unwrap();
    done("a webhook without a task").await;
    let late = records
        .insert_task(&task(hook.id), UNLIMITED, at(0))
        .await
        .unwrap();
    let on = records
        .insert_event(&event(late.id), UNLIMITED, at(0))
        .await
        .unwrap();
    done("a task for it").await;
    enable(a, false).await;
    done("a task disabled").await;
    enable(a, true).await;
    done("a task enabled again, with its events").await;
    records.delete_event(on.id, at(1)).await.unwrap();
    done("an event deleted").await;
    let c = set(&store, 1, "c").await;
    send(a, c).await;
    done("a task given another webhook").await;
    let deleted = records
        .delete_webhook(a.webhook, Cascade::Refuse, at(1))
        .await;
    assert!(deleted.is_ok(), "R37 deleted");
    done("the first webhook deleted").await;
    send(a, b).await;
    done("a task that went to another owner").await;
    send(a, c).await;
    done("and came back").await;
    hold(&store, 1, true).await;
    done("its owner held").await;
    change(&store, c.webhook, |w| w.allow_insecure = false).await;
    hold(&store, 1, false).await;
    done("its owner released").await;
    place(&store, 1, tenant(9)).await;
    records.delete_task(a.task, at(2)).await.unwrap();
    done("its owner elsewhere").await;
    place(&store, 1, tenant(1)).await;
    place(&store, 2, tenant(1)).await;
    done("both owners there").await;
    let deleted = records
        .delete_webhook(c.webhook, Cascade::Tasks, at(3))
        .await;
    assert!(deleted.is_ok(), "R37 deleted with its tasks");
    done("a webhook deleted with its tasks").await;
    let gone = Removal::Owner(OwnerId(2));
    records.mark_gone(gone, at(4)).await.unwrap();
    done("an owner removed").await;
}

/// The changes that a store returns must be complete also after random changes of many owners in
/// several realms, from every version seen.
pub async fn r38_changes_add_up_after_random_ones(store: Webhooks) {
    let mut lot = StdRng::seed_from_u64(0x6761_7465);
    let places = [Realm::Shared, tenant(1), tenant(2)];
    let mut kept: Vec<Vec<Held>> = vec![Vec::new(); places.len()];
    let mut sets: Vec<Set> = Vec::new();
    for n in 0..6 {
        sets.push(set(&store, n % 3 + 1, &format!("w{n}")).await);
    }
    for step in 0..60 {
        one_change(&store, &mut lot, &mut sets, step).await;
        if step % 6 == 5 {
            for (at_place, kept) in places.iter().zip(&mut kept) {
                compare(&store, *at_place, kept, "R38", &format!("step {step}")).await;
            }
        }
    }
}

async fn one_change(store: &Webhooks, lot: &mut StdRng, sets: &mut Vec<Set>, step: u32) {
    let records = &store.records;
    let owner = lot.random_range(1..=3);
    let of = sets[lot.random_range(0..sets.len())];
    let through = sets[lot.random_range(0..sets.len())];
    let coin = lot.random_bool(0.5);
    match lot.random_range(0..10) {
        0 => sets.push(set(store, owner, &format!("s{step}")).await),
        1 => {
            let to = [Realm::Shared, tenant(1), tenant(2)][step as usize % 3];
            place(store, owner, to).await;
        }
        2 => hold(store, owner, coin).await,
        3 | 4 => {
            if let Some(mut row) = records.task(of.task).await.unwrap() {
                row.value.enabled = coin;
                records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
            }
        }
        5 => {
            let row = records.task(of.task).await.unwrap();
            let there = records.webhook(through.webhook).await.unwrap().is_some();
            if let (Some(mut row), true) = (row, there) {
                row.value.action = task(through.webhook).action;
                records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
            }
        }
        6 | 7 => {
            let row = records.event(of.event).await.unwrap();
            let there = records.task(through.task).await.unwrap().is_some();
            if let (Some(mut row), true) = (row, there) {
                row.value.task = through.task;
                row.value.enabled = coin;
                records.update_event(&row, UNLIMITED, at(1)).await.unwrap();
            }
        }
        8 => drop(records.delete_task(of.task, at(1)).await),
        _ if coin => {
            let deleted = records.delete_webhook(of.webhook, Cascade::Tasks, at(1));
            drop(deleted.await);
        }
        _ => {
            if let Some(row) = records.webhook(of.webhook).await.unwrap() {
                records
                    .update_webhook(&row, UNLIMITED, at(1))
                    .await
                    .unwrap();
            }
        }
    }
}

/// A store must remember the last thousand changes of a realm, whatever is changed in others.
pub async fn r39_a_thousand_changes_are_remembered(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    place(&store, 2, tenant(2)).await;
    let (mine, theirs) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    let since = version(&store, tenant(1)).await;
    for n in 0..1000 {
        change(&store, mine.webhook, |w| w.allow_insecure = n % 2 == 0).await;
        if n % 10 == 0 {
            change(&store, theirs.webhook, |w| w.allow_insecure = true).await;
        }
    }
    let changes = store.records.route_changes(tenant(1), since).await.unwrap();
    let Some(changes) = changes else {
        panic!("R39 a thousand changes were forgotten");
    };
    let named: Vec<_> = changes.webhooks.iter().map(|(id, _)| *id).collect();
    assert_eq!(named, [mine.webhook], "R39 what was changed, once");
}
