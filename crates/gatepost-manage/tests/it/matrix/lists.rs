//! Lists, with every filter: exactly the rows that match and that the caller may see.

use apikey_core::KeyId;
use chrono::{DateTime, Utc};
use gatepost_keys::{OwnerId, TenantId};
use gatepost_manage::DeliveryMatch;
use gatepost_storage::keys::{KeyQuery, KeyRow};
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryQuery, DeliveryState, EventQuery, TaskQuery, TaskRow,
    WebhookQuery,
};
use gatepost_storage::{KeyStore, Page, Row, Scope};
use webhook_model::{Event, EventId, TaskId, Webhook, WebhookId};

use super::Door;
use crate::people::People;
use crate::users::{EVERYBODY, MEMBER, OWNER, sees, tenant_of};
use crate::world::NOWHERE;

pub(super) const METHODS: [&str; 7] = [
    "keys",
    "webhooks",
    "tasks",
    "events",
    "deliveries",
    "find_deliveries",
    "deliveries_with_responses",
];

/// Enough for all rows of a table.
const ALL: u32 = 1_000;

/// A row that was listed: its number and its owner.
trait Told {
    fn told(&self) -> (i64, u128);
}

macro_rules! told {
    ($type:ty, |$row:ident| $id:expr, $owner:expr) => {
        impl Told for $type {
            fn told(&self) -> (i64, u128) {
                let $row = self;
                ($id.0, $owner.0)
            }
        }
    };
}
told!(KeyRow, |row| row.id, row.key.owner);
told!(Row<WebhookId, Webhook>, |row| row.id, row.owner);
told!(TaskRow, |row| row.id, row.owner);
told!(Row<EventId, Event>, |row| row.id, row.owner);
told!(Delivery, |row| row.id, row.owner);
told!(
    (Delivery, Option<AttemptRecord>),
    |row| row.0.id,
    row.0.owner
);

fn page<I>() -> Page<I> {
    Page::first(ALL)
}

fn scopes() -> Vec<Scope> {
    let owners = EVERYBODY.into_iter().chain([NOWHERE.owner]);
    let owners = owners.map(|owner| Scope::Owner(OwnerId(owner)));
    let tenants = [1, 2, 9].map(|tenant| Scope::Tenant(TenantId(tenant)));
    [Scope::All]
        .into_iter()
        .chain(owners)
        .chain(tenants)
        .collect()
}

fn is_in(scope: Scope, owner: OwnerId) -> bool {
    match scope {
        Scope::All => true,
        Scope::Owner(asked) => asked == owner,
        Scope::Tenant(tenant) => tenant_of(owner.0) == Some(tenant),
    }
}

fn is<T: PartialEq>(asked: Option<&T>, value: &T) -> bool {
    asked.is_none_or(|asked| asked == value)
}

fn named(asked: Option<&String>, name: &str) -> bool {
    asked.is_none_or(|asked| asked == name)
}

/// Returns queries with all combinations of the given filters' values.
macro_rules! queries {
    ($query:ident { $($field:ident in $values:expr),* }) => {
        queries!(@ $query [$($field),*] $($field in $values),*)
    };
    (@ $query:ident [$($all:ident),*] $($field:ident in $values:expr),*) => {{
        let mut queries = vec![];
        queries!(@each queries, $query { $($all),* }; $($field in $values),*);
        queries
    }};
    (@each $queries:ident, $query:ident { $($all:ident),* }; ) => {
        $queries.push($query { $($all: $all.clone()),*, page: page() });
    };
    (@each $queries:ident, $query:ident { $($all:ident),* };
        $field:ident in $values:expr $(, $rest:ident in $more:expr)*) => {
        for $field in $values {
            queries!(@each $queries, $query { $($all),* }; $($rest in $more),*);
        }
    };
}

fn names(name: &str) -> [Option<String>; 3] {
    [None, Some(name.to_owned()), Some("nothing".to_owned())]
}

macro_rules! check {
    ($door:ident, $findings:ident, $method:ident, $queries:expr, $rows:expr, $matches:expr) => {
        check!(@ $door, $findings, $method, $queries, $rows, $matches, |query| &query)
    };
    (@ $door:ident, $findings:ident, $method:ident, $queries:expr, $rows:expr, $matches:expr,
        |$query:ident| $($given:expr),+) => {
        if $door.looks_at(stringify!($method)) {
            let rows = $rows;
            assert!(!rows.is_empty());
            for user in EVERYBODY {
                for $query in $queries {
                    let actor = $door.of(user, stringify!($method));
                    let listed = actor.$method($($given),+).await.unwrap();
                    let listed: Vec<_> = listed.rows.iter().map(Told::told).collect();
                    let expected = rows.iter().filter(|row| {
                        sees(user).contains(&row.told().1) && $matches(&$query, row)
                    });
                    let expected: Vec<_> = expected.map(Told::told).collect();
                    if listed != expected {
                        $findings.push(format!(
                            "{}: {user}: {listed:?}, not {expected:?}: {:?}",
                            stringify!($method), $query
                        ));
                    }
                }
            }
        }
    };
}

fn key_matches(query: &KeyQuery, row: &KeyRow) -> bool {
    let KeyQuery {
        scope,
        name,
        page: _,
    } = query;
    is_in(*scope, row.key.owner) && named(name.as_ref(), row.key.name.as_str())
}

fn webhook_matches(query: &WebhookQuery, row: &Row<WebhookId, Webhook>) -> bool {
    let WebhookQuery {
        scope,
        name,
        page: _,
    } = query;
    is_in(*scope, row.owner) && named(name.as_ref(), row.value.name.as_str())
}

fn task_matches(query: &TaskQuery, row: &TaskRow) -> bool {
    let TaskQuery {
        scope,
        creator,
        webhook,
        name,
        page: _,
    } = query;
    let webhook_model::Action::Send { webhook: sends, .. } = &row.value.action else {
        return false;
    };
    is_in(*scope, row.owner)
        && is(creator.as_ref(), &row.value.creator)
        && is(webhook.as_ref(), sends)
        && named(name.as_ref(), row.value.name.as_str())
}

fn event_matches(query: &EventQuery, row: &Row<EventId, Event>) -> bool {
    let EventQuery {
        scope,
        task,
        event_type,
        page: _,
    } = query;
    is_in(*scope, row.owner)
        && is(task.as_ref(), &row.value.task)
        && is(event_type.as_ref(), &row.value.event_type)
}

fn delivery_matches(query: &DeliveryQuery, row: &Delivery) -> bool {
    let DeliveryQuery {
        scope,
        webhook,
        task,
        states,
        class,
        created_from,
        created_before,
        page: _,
    } = query;
    is_in(*scope, row.owner)
        && is(webhook.as_ref(), &row.webhook)
        && task.is_none_or(|task| row.task == Some(task))
        && (states.is_empty() || states.contains(&row.state))
        && class.as_ref().is_none_or(|class| row.class == *class)
        && created_from.is_none_or(|from| row.created >= from)
        && created_before.is_none_or(|before| row.created < before)
}

fn delivery_queries(people: &People) -> Vec<DeliveryQuery> {
    let some = [&people.rows[&OWNER], &people.rows[&MEMBER], &NOWHERE];
    let webhooks = [None]
        .into_iter()
        .chain(some.map(|rows| Some(rows.webhook)));
    let tasks = [None].into_iter().chain(some.map(|rows| Some(rows.task)));
    let (webhooks, tasks): (Vec<_>, Vec<_>) = (webhooks.collect(), tasks.collect());
    let past = DateTime::<Utc>::UNIX_EPOCH;
    queries!(DeliveryQuery {
        scope in scopes(),
        webhook in webhooks.clone(),
        task in tasks.clone(),
        states in [vec![], vec![DeliveryState::Queued], vec![DeliveryState::Running]],
        class in [None, Some("timeout".to_owned())],
        created_from in [None, Some(past)],
        created_before in [None, Some(past)]
    })
}

pub(super) async fn findings(door: &Door<'_>) -> Vec<String> {
    let mut findings = Vec::new();
    let (people, engine) = (door.people, &door.people.world.engine);
    let everybody = || EVERYBODY.into_iter().chain([NOWHERE.owner]);
    let rows = || {
        EVERYBODY
            .iter()
            .map(|user| &people.rows[user])
            .chain([&NOWHERE])
    };

    let keys = queries!(KeyQuery { scope in scopes(), name in names("key") });
    let all = KeyQuery::all(page::<KeyId>());
    let all = people.world.store.list_keys(&all).await.unwrap();
    check!(@ door, findings, keys, keys.clone(), all, key_matches, |query| query.clone());

    let webhooks = queries!(WebhookQuery { scope in scopes(), name in names("sent") });
    let all = engine.list_webhooks(&webhooks[0]).await.unwrap();
    check!(
        door,
        findings,
        webhooks,
        webhooks.clone(),
        all.clone(),
        webhook_matches
    );

    let tasks = queries!(TaskQuery {
        scope in scopes(),
        creator in [None].into_iter().chain(everybody().map(|user| Some(OwnerId(user)))),
        webhook in [None].into_iter().chain(rows().map(|rows| Some(rows.webhook))),
        name in names("task")
    });
    let all = engine.list_tasks(&tasks[0]).await.unwrap();
    check!(
        door,
        findings,
        tasks,
        tasks.clone(),
        all.clone(),
        task_matches
    );

    let of_tasks = || {
        rows()
            .map(|rows| Some(rows.task))
            .collect::<Vec<Option<TaskId>>>()
    };
    let events = queries!(EventQuery {
        scope in scopes(),
        task in [None].into_iter().chain(of_tasks()),
        event_type in [None, Some("alarms".parse().unwrap()), Some("vms".parse().unwrap())]
    });
    let all = engine.list_events(&events[0]).await.unwrap();
    check!(
        door,
        findings,
        events,
        events.clone(),
        all.clone(),
        event_matches
    );

    let log = delivery_queries(people);
    let all = engine.list_deliveries(&log[0]).await.unwrap();
    check!(
        door,
        findings,
        deliveries,
        log.clone(),
        all.clone(),
        delivery_matches
    );
    let everything = DeliveryMatch::default();
    check!(@ door, findings, find_deliveries, log.clone(), all.clone(), delivery_matches,
        |query| &query, &everything);
    let mut searched = DeliveryMatch::default();
    searched.text = Some(String::new());
    check!(@ door, findings, find_deliveries, log.clone(), all.clone(), delivery_matches,
        |query| &query, &searched);
    let with: Vec<_> = all.into_iter().map(|row| (row, None)).collect();
    let matches = |query: &DeliveryQuery, row: &&(Delivery, Option<AttemptRecord>)| {
        delivery_matches(query, &row.0)
    };
    let log: Vec<_> = log.into_iter().step_by(7).collect();
    check!(
        door,
        findings,
        deliveries_with_responses,
        log.clone(),
        with.clone(),
        matches
    );
    findings
}
