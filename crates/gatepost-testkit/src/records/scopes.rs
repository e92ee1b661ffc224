//! The scopes of lists of records.

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::{Page, Scope};

use crate::fixtures::{place, tenant};
use crate::harness::Webhooks;
use crate::world::{Set, events_in, set, tasks_in, webhooks_in};

/// Returns the rows in the lists of the three tables, as the numbers of the sets, page by page.
async fn walked(store: &Webhooks, sets: &[Set], scope: Scope, newest: bool) -> [Vec<usize>; 3] {
    let records = &store.records;
    let mut found: [Vec<usize>; 3] = Default::default();
    macro_rules! walk {
        ($table:literal, $list:ident, $id:ident, $query:expr) => {
            let mut page = if newest {
                Page::newest(2)
            } else {
                Page::first(2)
            };
            loop {
                let rows = records.$list(&$query(page)).await.unwrap();
                assert!(rows.len() <= 2, "R31 at most a page");
                let Some(last) = rows.last() else { break };
                page = page.beyond(last.id);
                let number = |id| sets.iter().position(|set| set.$id == id).unwrap();
                found[$table].extend(rows.iter().map(|row| number(row.id)));
                assert!(found[$table].len() <= sets.len(), "R31 the walk ends");
            }
        };
    }
    walk!(0, list_webhooks, webhook, |page| webhooks_in(scope, page));
    walk!(1, list_tasks, task, |page| tasks_in(scope, page));
    walk!(2, list_events, event, |page| events_in(scope, page));
    found
}

/// A list of an owner or a tenant must hold their rows and no others, page by page, in either
/// direction.
pub async fn r31_a_list_holds_the_rows_of_its_scope(store: Webhooks) {
    let mut sets = Vec::new();
    for n in 0..12 {
        sets.push(set(&store, n % 4 + 1, &format!("w{n}")).await);
    }
    for (owner, to) in [(1, tenant(1)), (2, tenant(1)), (3, tenant(3))] {
        place(&store, owner, to).await;
    }
    place(&store, 5, Realm::System).await;
    let owned = |owners: &[usize]| -> Vec<usize> {
        (0..12).filter(|n| owners.contains(&(n % 4 + 1))).collect()
    };
    let scopes = [
        (Scope::All, owned(&[1, 2, 3, 4])),
        (Scope::Owner(OwnerId(1)), owned(&[1])),
        (Scope::Owner(OwnerId(4)), owned(&[4])),
        (Scope::Owner(OwnerId(9)), vec![]),
        (Scope::Tenant(TenantId(1)), owned(&[1, 2])),
        (Scope::Tenant(TenantId(3)), owned(&[3])),
        (Scope::Tenant(TenantId(4)), vec![]),
    ];
    for (scope, wanted) in scopes {
        for newest in [false, true] {
            let mut wanted = wanted.clone();
            if newest {
                wanted.reverse();
            }
            let found = walked(&store, &sets, scope, newest).await;
            for (table, found) in found.iter().enumerate() {
                assert_eq!(*found, wanted, "R31 table {table}, {scope:?}");
            }
        }
    }
}
