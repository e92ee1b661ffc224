//! The scopes of lists of deliveries.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState, NewDelivery};
use gatepost_storage::{Page, Scope};

use super::look::listed;
use crate::fixtures::{at, direct, message, place, tenant};
use crate::harness::Webhooks;
use crate::world::set;

/// A list of an owner or of a tenant holds that one's deliveries and no other, whatever else it is
/// asked for, page by page, either way.
pub async fn l13_a_list_holds_the_deliveries_of_its_scope(store: Webhooks) {
    let mut sets = Vec::new();
    for owner in 1..=3 {
        place(&store, owner, tenant(if owner == 3 { 2 } else { 1 })).await;
        sets.push(set(&store, owner, "w").await);
    }
    for n in 0..9 {
        let of = sets[n % 3];
        let new = NewDelivery {
            task: Some(of.task),
            ..message(of.webhook, &format!("m{n}"), at(0))
        };
        let now = i64::try_from(n).unwrap();
        let stored = store.queue.enqueue(direct(vec![new]), at(now)).await;
        assert!(stored.is_ok(), "L13 stored");
    }
    let names = |owners: &[usize]| -> Vec<String> {
        let own = (0..9).filter(|n| owners.contains(&(n % 3 + 1)));
        own.map(|n| format!("m{n}")).collect()
    };
    let scopes = [
        (Scope::All, vec![1, 2, 3]),
        (Scope::Owner(OwnerId(2)), vec![2]),
        (Scope::Owner(OwnerId(9)), vec![]),
        (Scope::Tenant(TenantId(1)), vec![1, 2]),
        (Scope::Tenant(TenantId(2)), vec![3]),
        (Scope::Tenant(TenantId(9)), vec![]),
    ];
    for (scope, owners) in scopes {
        for (newest, limit) in [(false, 2), (true, 2), (false, 99)] {
            let mut page = if newest {
                Page::newest(limit)
            } else {
                Page::first(limit)
            };
            let mut found = Vec::new();
            loop {
                let query = DeliveryQuery {
                    scope,
                    ..DeliveryQuery::all(page)
                };
                let rows = store.log.list_deliveries(&query).await.unwrap();
                let Some(last) = rows.last() else { break };
                page = page.beyond(last.id);
                found.extend(rows.iter().map(|d| d.message_id.to_string()));
                assert!(found.len() <= 9, "L13 the walk ends");
            }
            let mut wanted = names(&owners);
            if newest {
                wanted.reverse();
            }
            assert_eq!(found, wanted, "L13 {scope:?}");
        }
        for (of, owner) in sets.iter().zip(1..) {
            let own = owners.contains(&owner);
            let wanted = if own { names(&[owner]) } else { Vec::new() };
            let within = DeliveryQuery {
                scope,
                states: vec![DeliveryState::Queued],
                ..DeliveryQuery::all(Page::first(99))
            };
            let webhook = DeliveryQuery {
                webhook: Some(of.webhook),
                ..within.clone()
            };
            assert_eq!(
                listed(&store, &webhook).await,
                wanted,
                "L13 webhook, {scope:?}"
            );
            let task = DeliveryQuery {
                task: Some(of.task),
                ..within.clone()
            };
            assert_eq!(listed(&store, &task).await, wanted, "L13 task, {scope:?}");
            let early = DeliveryQuery {
                created_before: Some(at(3)),
                webhook: Some(of.webhook),
                ..within
            };
            let found = listed(&store, &early).await.len();
            assert_eq!(found, usize::from(own), "L13 by time, {scope:?}");
        }
    }
}
