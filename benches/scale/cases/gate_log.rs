//! SQLite by its own statements against SQLite by the lower door, by calls of the store: filling
//! the log, what a message takes in the file, lists, retention.

use std::sync::Arc;
use std::time::Instant;

use benches::platform::{Platform, gate, now, tenant_of};
use chrono::TimeDelta;
use gatepost_storage::webhooks::{
    Claim, DeliveryQuery, DeliveryState, Disposition, Enqueued, MessageId, NewDelivery,
    PurgeBounds, Settled,
};
use gatepost_storage::{Page, Scope, WebhookStore};
use gatepost_testkit::fixtures;
use webhook_model::{TaskId, WebhookId};

use super::gate::STORES;
use crate::emitter::owner;
use crate::report::{ratio, row};
use crate::stage::Stage;

const ROWS: i64 = 1_000_000;
const HOOKS: i64 = 1_000;
/// In each of 16 calls at a time.
const TOGETHER: usize = 64;
const CALLS: usize = 50;
/// As the engine asks.
const LIMIT: u32 = 500;
const BODY: &str =
    r#"{"n":"0","pad":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#;

/// What is measured, and its unit.
const WHAT: [(&str, &str); 11] = [
    ("stored and settled", "a second"),
    ("CPU of that, a message", "µs"),
    ("file, a message", "bytes"),
    ("list of a tenant", "ms"),
    ("list of an owner", "ms"),
    ("list of a webhook", "ms"),
    ("list of a task", "ms"),
    ("list of a tenant in error", "ms"),
    ("list of all", "ms"),
    ("retention", "rows a second"),
    ("CPU of retention, a row", "µs"),
];

pub(crate) async fn measure(stage: &mut Stage) {
    let mut all = [const { [const { Vec::<f64>::new() }; 11] }; 2];
    for _ in 0..stage.rounds(3) {
        for (figures, (name, store, _)) in all.iter_mut().zip(STORES) {
            let round = round(stage, store).await;
            println!("  {name}: {round:.2?}");
            for (all, figure) in figures.iter_mut().zip(round) {
                all.push(figure);
            }
        }
    }
    for (n, (what, unit)) in WHAT.iter().enumerate() {
        for (figures, (name, ..)) in all.iter().zip(STORES) {
            row(
                stage.kind,
                &format!("{name}: {what}"),
                &figures[n],
                unit,
                "",
            );
        }
        ratio(
            stage.kind,
            &format!("{what}, over SQL"),
            &all[1][n],
            &all[0][n],
            "",
        );
    }
}

async fn round(stage: &Stage, store: &str) -> [f64; 11] {
    let place = stage.fresh().await;
    let opened = gate(store, &place.place).await;
    let platform = Platform::on(opened.clone(), &place.place);
    let mut hooks = Vec::new();
    for n in 1..=HOOKS {
        let (webhook, tasks) = platform.records(owner(n), "http://target.test/", 1).await;
        hooks.push((webhook, tasks[0]));
    }
    let rows = stage.scaled(ROWS);
    let file = || {
        let file = rusqlite::Connection::open(&place.place).unwrap();
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        file.query_row(checkpoint, [], |_| Ok(())).unwrap();
        std::fs::metadata(&place.place).unwrap().len() as f64
    };
    let before = file();
    let ([stored, cpu], last) = fill(&opened, &hooks, rows).await;
    let bytes = (file() - before) / rows as f64;
    let lists = lists(&opened, hooks[76]).await;
    let (begun, used) = (Instant::now(), own_cpu());
    let mut removed = 0;
    loop {
        let bounds = PurgeBounds {
            created_before: now() - TimeDelta::days(15),
            bytes: None,
            counts_before: now() - TimeDelta::days(90),
            occurrences_before: now() - TimeDelta::days(90),
        };
        let purged = opened.purge(&bounds, LIMIT, now()).await.unwrap();
        removed += purged.rows;
        if !purged.more || begun.elapsed().as_secs() >= 30 {
            break;
        }
    }
    let (took, used) = (begun.elapsed().as_secs_f64(), own_cpu() - used);
    println!("  {removed} rows removed, the last stored was {last}");
    drop((platform, opened));
    place.remove().await;
    let (gone, stored_at) = (removed as f64, [stored, cpu, bytes]);
    let mut figures = [0.0; 11];
    let purged = [gone / took, used * 1e6 / gone];
    let parts = stored_at.into_iter().chain(lists).chain(purged);
    figures.iter_mut().zip(parts).for_each(|(to, of)| *to = of);
    figures
}

/// Stores and settles as many, created within the last 30 days; one in 97 ends in error.
async fn fill(
    store: &Arc<dyn WebhookStore>,
    hooks: &[(WebhookId, TaskId)],
    rows: i64,
) -> ([f64; 2], i64) {
    let (begun, used) = (Instant::now(), own_cpu());
    let mut last = 0;
    for first in (0..rows).step_by(TOGETHER * 16) {
        let calls = (0..16).map(|call| {
            let from = first + call * TOGETHER as i64;
            part(
                store.clone(),
                hooks,
                from,
                (from + TOGETHER as i64).min(rows),
                rows,
            )
        });
        let calls: Vec<_> = calls.map(tokio::spawn).collect();
        for call in calls {
            last = last.max(call.await.unwrap());
        }
    }
    let (took, used) = (begun.elapsed().as_secs_f64(), own_cpu() - used);
    ([rows as f64 / took, used * 1e6 / rows as f64], last)
}

fn part(
    store: Arc<dyn WebhookStore>,
    hooks: &[(WebhookId, TaskId)],
    from: i64,
    to: i64,
    rows: i64,
) -> impl Future<Output = i64> + Send + use<> {
    let created =
        now() - TimeDelta::days(30) * i32::try_from(100 - from * 100 / rows).unwrap() / 100;
    let each = (from..to).map(|n| {
        let (webhook, task) = hooks[usize::try_from(n).unwrap() % hooks.len()];
        let new = NewDelivery {
            message_id: MessageId::new(created, n.unsigned_abs().into()),
            webhook,
            task: Some(task),
            cause: None,
            body: BODY.into(),
            due: created,
            lease_until: Some(created + TimeDelta::seconds(60)),
        };
        fixtures::direct(vec![new])
    });
    let calls: Vec<_> = each.collect();
    async move {
        if calls.is_empty() {
            return 0;
        }
        let stored = store.enqueue_all(calls, created).await;
        let mut settlements = Vec::new();
        let mut last = 0;
        for stored in stored {
            let Ok(Enqueued::Stored { deliveries, .. }) = stored else {
                panic!("{stored:?}");
            };
            let (delivery, token) = (deliveries[0].id, deliveries[0].token.unwrap());
            last = last.max(delivery.0);
            let how = match delivery.0 % 97 {
                0 => Disposition::Failed,
                _ => Disposition::Sent,
            };
            settlements.push(fixtures::settlement_of(Claim { delivery, token }, how));
        }
        let settled = store.settle(settlements, created).await.unwrap();
        assert!(settled.iter().all(|s| *s == Settled::Done), "{settled:?}");
        last
    }
}

async fn lists(store: &Arc<dyn WebhookStore>, (webhook, task): (WebhookId, TaskId)) -> [f64; 6] {
    let all = DeliveryQuery::all(Page::newest(50));
    let tenant = DeliveryQuery {
        scope: Scope::Tenant(tenant_of(owner(77)).unwrap()),
        ..all.clone()
    };
    let queries = [
        tenant.clone(),
        DeliveryQuery {
            scope: Scope::Owner(owner(77)),
            ..all.clone()
        },
        DeliveryQuery {
            webhook: Some(webhook),
            ..all.clone()
        },
        DeliveryQuery {
            task: Some(task),
            ..all.clone()
        },
        DeliveryQuery {
            states: vec![DeliveryState::Error],
            ..tenant
        },
        all,
    ];
    let mut medians = [0.0; 6];
    for (median, query) in medians.iter_mut().zip(queries) {
        let mut waits = Vec::new();
        for _ in 0..CALLS {
            let begun = Instant::now();
            let rows = store.list_deliveries(&query).await.unwrap();
            waits.push(begun.elapsed().as_secs_f64() * 1e3);
            assert!(!rows.is_empty(), "{query:?}");
        }
        *median = benches::spread(waits).0;
    }
    medians
}

fn own_cpu() -> f64 {
    benches::process::process_cpu(std::process::id()).as_secs_f64()
}
