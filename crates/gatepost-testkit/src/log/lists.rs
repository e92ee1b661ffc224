//! Lists with every filter of a page, in both directions.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::webhooks::{
    Claimed, Delivery, DeliveryId, DeliveryQuery, DeliveryState, Disposition, NewDelivery,
};
use gatepost_storage::{Page, Scope};

use crate::fixtures::{at, claim, direct, message, place, settlement, tenant};
use crate::harness::Webhooks;
use crate::world::{Set, set};

/// Stores nine deliveries in all states for each of two owners of one tenant and one of another.
async fn stored(store: &Webhooks) -> Vec<Set> {
    let mut sets = Vec::new();
    for (owner, of) in [(1, 1), (2, 1), (3, 2)] {
        place(store, owner, tenant(of)).await;
        sets.push(set(store, owner, "w").await);
    }
    for n in 0..9 {
        for of in &sets {
            let new = NewDelivery {
                task: (n % 2 == 0).then_some(of.task),
                ..message(of.webhook, &format!("m{n}"), at(if n < 7 { 0 } else { 90 }))
            };
            let done = store.queue.enqueue(direct(vec![new]), at(n)).await;
            assert!(done.is_ok(), "stored");
        }
    }
    for of in &sets {
        let given = claim(store, of.webhook, 1).await;
        let ends = given.iter().enumerate().filter_map(ended);
        store.queue.settle(ends.collect(), at(2)).await.unwrap();
    }
    sets
}

/// Returns the settlement of one of seven claimed deliveries: two are sent, three fail for two
/// reasons, one is retried later, one is being sent.
fn ended((n, one): (usize, &Claimed)) -> Option<gatepost_storage::webhooks::Settlement> {
    let (class, end) = match n {
        0 | 4 => ("ok", Disposition::Sent),
        1 | 5 => ("timeout", Disposition::Failed),
        2 => ("status", Disposition::Failed),
        3 => ("timeout", Disposition::Retry { due: at(80) }),
        _ => return None,
    };
    let mut settled = settlement(one, end);
    settled
        .attempt
        .iter_mut()
        .for_each(|a| a.class = class.to_owned());
    Some(settled)
}

/// Returns all rows of a list, read two or five at a time, in this direction.
async fn walk(
    store: &Webhooks,
    query: &DeliveryQuery,
    newest: bool,
    limit: u32,
) -> Vec<DeliveryId> {
    let mut page = if newest {
        Page::newest(limit)
    } else {
        Page::first(limit)
    };
    let mut found = Vec::new();
    for _ in 0..99 {
        let query = DeliveryQuery {
            page,
            ..query.clone()
        };
        let rows = store.log.list_deliveries(&query).await.unwrap();
        assert!(rows.len() <= limit as usize, "a page is at most its limit");
        let Some(last) = rows.last() else {
            return found;
        };
        page = page.beyond(last.id);
        found.extend(rows.iter().map(|d| d.id));
    }
    panic!("a list that never ends");
}

/// Returns queries with every scope: all, owner, tenant, webhook, task, and some combinations.
fn ways(sets: &[Set]) -> Vec<DeliveryQuery> {
    let of = |scope, webhook, task| DeliveryQuery {
        scope,
        webhook,
        task,
        ..DeliveryQuery::all(Page::first(1))
    };
    let mut ways = vec![of(Scope::All, None, None)];
    ways.extend([1, 2, 3, 9].map(|owner| of(Scope::Owner(OwnerId(owner)), None, None)));
    for number in [1, 2, 9] {
        let scope = Scope::Tenant(TenantId(number));
        ways.extend([Some(sets[0].webhook), None].map(|webhook| of(scope, webhook, None)));
    }
    for set in sets {
        let (webhook, task) = (Some(set.webhook), Some(set.task));
        let pairs = [(webhook, None), (None, task), (webhook, task)];
        ways.extend(pairs.map(|(webhook, task)| of(Scope::All, webhook, task)));
    }
    ways
}

/// Returns whether a row matches a query.
fn fits(query: &DeliveryQuery, row: &Delivery) -> bool {
    let whose = match query.scope {
        Scope::All => true,
        Scope::Owner(owner) => row.owner == owner,
        Scope::Tenant(tenant) => row.tenant == Some(tenant),
    };
    whose
        && query.webhook.is_none_or(|webhook| row.webhook == webhook)
        && query.task.is_none_or(|task| row.task == Some(task))
        && (query.states.is_empty() || query.states.contains(&row.state))
        && query.class.as_ref().is_none_or(|class| row.class == *class)
        && query.created_from.is_none_or(|from| row.created >= from)
        && query
            .created_before
            .is_none_or(|before| row.created < before)
}

/// Checks that each scope, with these further filters, lists the matching rows.
async fn holds(store: &Webhooks, sets: &[Set], test: &str, asked: &[impl Fn(&mut DeliveryQuery)]) {
    let all = DeliveryQuery::all(Page::first(99));
    let rows = store.log.list_deliveries(&all).await.unwrap();
    assert_eq!(rows.len(), 27, "{test} all");
    for mut query in ways(sets) {
        for ask in asked {
            ask(&mut query);
            let fit = rows.iter().filter(|row| fits(&query, row));
            let mut wanted: Vec<_> = fit.map(|row| row.id).collect();
            assert!(wanted.is_sorted(), "{test} in order");
            for limit in [2, 5] {
                let found = walk(store, &query, false, limit).await;
                assert_eq!(found, wanted, "{test} {query:?}");
                wanted.reverse();
                let found = walk(store, &query, true, limit).await;
                assert_eq!(found, wanted, "{test} newest first, {query:?}");
                wanted.reverse();
            }
        }
    }
}

/// A list of an owner or a tenant must hold their deliveries and no others, whatever its other
/// criteria, page by page, in either direction.
pub async fn l13_a_list_holds_the_deliveries_of_its_scope(store: Webhooks) {
    let sets = stored(&store).await;
    let asked = [None, Some(at(3))];
    let asked = asked.map(|before| move |q: &mut DeliveryQuery| q.created_before = before);
    holds(&store, &sets, "L13", &asked).await;
}

/// A list of any of the four states, or of several, must hold the rows in them and no others: of
/// all, an owner, a tenant, a webhook or a task, page by page, in either direction.
pub async fn l20_lists_are_by_each_state(store: Webhooks) {
    let sets = stored(&store).await;
    let all = DeliveryQuery::all(Page::first(99));
    let rows = store.log.list_deliveries(&all).await.unwrap();
    let (queued, running) = (DeliveryState::Queued, DeliveryState::Running);
    let (sent, error) = (DeliveryState::Sent, DeliveryState::Error);
    for (state, wanted) in [(queued, 9), (running, 3), (sent, 6), (error, 9)] {
        let found = rows.iter().filter(|row| row.state == state).count();
        assert_eq!(found, wanted, "L20 {state:?}");
    }
    let asked = [
        vec![queued],
        vec![running],
        vec![sent],
        vec![error],
        vec![sent, error],
        vec![queued, running],
        vec![error, queued, sent, running],
    ];
    let asked = asked.map(|states| move |q: &mut DeliveryQuery| q.states.clone_from(&states));
    holds(&store, &sets, "L20", &asked).await;
}

/// A list by the class of the last attempt must hold the deliveries that ended with it and those to
/// be retried, also together with a state.
pub async fn l21_lists_are_by_class(store: Webhooks) {
    let sets = stored(&store).await;
    let asked = [
        ("timeout", vec![]),
        ("timeout", vec![DeliveryState::Error]),
        ("timeout", vec![DeliveryState::Queued]),
        ("status", vec![DeliveryState::Error, DeliveryState::Sent]),
        ("ok", vec![]),
        ("unheard", vec![]),
    ];
    let asked = asked.map(|(class, states)| {
        move |q: &mut DeliveryQuery| {
            q.class = Some(class.to_owned());
            q.states.clone_from(&states);
        }
    });
    holds(&store, &sets, "L21", &asked).await;
}

/// A list by time must hold the deliveries created in a period, its end excluded, with or without a
/// state, also if one clock was somewhat behind another.
pub async fn l22_lists_are_by_time(store: Webhooks) {
    let sets = stored(&store).await;
    let behind = Disposition::Failed;
    let newest = message(sets[1].webhook, "behind", at(0));
    let deleted = DeliveryQuery::all(Page::newest(1));
    let last = store.log.list_deliveries(&deleted).await.unwrap()[0].id;
    store.log.delete_delivery(last, at(9)).await.unwrap();
    store
        .queue
        .enqueue(direct(vec![newest]), at(-20))
        .await
        .unwrap();
    let given = claim(&store, sets[1].webhook, 3).await;
    let settled = settlement(&given[0], behind);
    store.queue.settle(vec![settled], at(3)).await.unwrap();
    let span = |from: Option<i64>, before: Option<i64>, states: Vec<DeliveryState>| {
        let time = |n: Option<i64>| -> Option<DateTime<Utc>> { n.map(at) };
        let (from, before) = (time(from), time(before));
        move |q: &mut DeliveryQuery| {
            (q.created_from, q.created_before) = (from, before);
            q.states.clone_from(&states);
        }
    };
    let asked = [
        span(Some(3), None, vec![]),
        span(None, Some(3), vec![]),
        span(Some(2), Some(6), vec![]),
        span(Some(2), Some(6), vec![DeliveryState::Error]),
        span(Some(-30), Some(-10), vec![]),
        span(Some(50), None, vec![]),
        span(Some(4), Some(4), vec![]),
    ];
    holds(&store, &sets, "L22", &asked).await;
}
