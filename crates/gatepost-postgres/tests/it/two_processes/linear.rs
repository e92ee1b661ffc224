//! Edits and enqueues of several processes have one order, consistent with the times of the calls.

use std::env::var;

use gatepost_ids::Realm;
use gatepost_postgres::PostgresStore;
use gatepost_storage::Page;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, message};
use tokio::time::Instant;
use webhook_model::{Action, TaskId, WebhookId};

use super::{Race, stored_by};

/// The number of edits, each during two enqueues, unless this variable sets another.
const ROUNDS: usize = 300;
const VARIABLE: &str = "GATEPOST_TEST_ROUNDS";
/// The maximum number of lookups between reading the realm and the enqueue.
const MOST_LOOKUPS: usize = 5;

/// The beginning and the end of a call.
#[derive(Clone, Copy)]
struct Span {
    began: Instant,
    returned: Instant,
}

#[derive(Clone, Copy)]
struct Records {
    realm: Realm,
    webhook: WebhookId,
    task: TaskId,
}

impl Records {
    /// Edits the records. Even versions are in the message of the task, odd ones in the URL of the
    /// webhook.
    async fn edit(self, store: PostgresStore, version: usize) -> Span {
        let mut task = store.task(self.task).await.unwrap().unwrap();
        let mut hook = store.webhook(self.webhook).await.unwrap().unwrap();
        let began = Instant::now();
        if version.is_multiple_of(2) {
            task.value.action = Action::Send {
                webhook: self.webhook,
                message: version.to_string().parse().unwrap(),
            };
            store.update_task(&task, UNLIMITED, at(0)).await.unwrap();
        } else {
            let url = format!("https://example.com/{version}");
            hook.value.url = url.parse().unwrap();
            store.update_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
        }
        let returned = Instant::now();
        Span { began, returned }
    }

    /// Returns the newest version in the records.
    async fn version(self, store: &PostgresStore) -> usize {
        let task = store.task(self.task).await.unwrap().unwrap();
        let hook = store.webhook(self.webhook).await.unwrap().unwrap();
        let Action::Send { message, .. } = &task.value.action else {
            panic!("{:?}", task.value.action)
        };
        let url = hook.value.url.to_string();
        let of_hook = url.rsplit('/').next().unwrap().parse().unwrap_or(0);
        message.as_str().parse().unwrap_or(0).max(of_hook)
    }

    /// Reads the records and enqueues, repeatedly until it is stored; returns the span of the last
    /// attempt, and the number of refused ones.
    async fn enqueue(self, store: PostgresStore, id: String, lookups: usize) -> (Span, usize) {
        let mut refused = 0;
        loop {
            let realms = [self.realm];
            let versions = store.routes_versions(&realms).await.unwrap();
            let mut new = message(self.webhook, &id, at(0));
            new.task = Some(self.task);
            new.body = self.version(&store).await.to_string().into();
            for _ in 0..lookups {
                store.routes_versions(&realms).await.unwrap();
            }
            let batch = Enqueue {
                precondition: Precondition::Realms(realms.into_iter().zip(versions).collect()),
                ..direct(vec![new])
            };
            let began = Instant::now();
            let stored = stored_by(store.enqueue(batch, at(0)).await.unwrap());
            let returned = Instant::now();
            if !stored.is_empty() {
                return (Span { began, returned }, refused);
            }
            refused += 1;
        }
    }
}

/// Returns the version in each stored delivery, and the span of its enqueue.
async fn carried(store: &PostgresStore, enqueues: &[(String, Span)]) -> Vec<(usize, Span)> {
    let mut page = Page::first(1_000);
    let mut carried = Vec::new();
    loop {
        let query = DeliveryQuery::all(page);
        let found = store.list_deliveries(&query).await.unwrap();
        let Some(last) = found.last() else { break };
        page = page.beyond(last.id);
        carried.extend(found.iter().map(|delivery| {
            let id = delivery.message_id.as_str();
            let at = enqueues.binary_search_by(|(of, _)| of.as_str().cmp(id));
            (delivery.body.parse().unwrap(), enqueues[at.unwrap()].1)
        }));
    }
    assert_eq!(carried.len(), enqueues.len(), "each is stored once");
    carried
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edits_and_enqueues_have_one_order() {
    let rounds = var(VARIABLE).map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let race = Race::new().await;
    let records = Records {
        realm: race.two.one,
        webhook: race.two.of_one,
        task: race.task,
    };
    let editor = PostgresStore::connect(race.two.config.clone()).await;
    let editor = editor.unwrap();
    let start = Instant::now();
    // Version 0 existed at the start.
    let mut edits = vec![Span {
        began: start,
        returned: start,
    }];
    let (mut enqueues, mut refused) = (Vec::new(), 0);
    for version in 1..=rounds {
        let edit = tokio::spawn(records.edit(editor.clone(), version));
        let calls = [&race.two.a, &race.two.b].into_iter().zip(["a", "b"]);
        let calls = calls.map(|(store, name)| {
            let id = format!("m{version:08}{name}");
            let lookups = version % MOST_LOOKUPS;
            let call = records.enqueue(store.clone(), id.clone(), lookups);
            (id, tokio::spawn(call))
        });
        for (id, call) in calls.collect::<Vec<_>>() {
            let (span, times) = call.await.unwrap();
            enqueues.push((id, span));
            refused += times;
        }
        edits.push(edit.await.unwrap());
    }
    for (version, enqueue) in carried(&race.two.a, &enqueues).await {
        assert!(edits[version].began < enqueue.returned, "{version} to come");
        if let Some(next) = edits.get(version + 1) {
            assert!(next.returned > enqueue.began, "{version} was over");
        }
    }
    assert!(refused > 0, "no enqueue was under way during an edit");
}
