//! Queues are found by newly due deliveries, by their webhooks, and by a scan of all of them.

use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{DeliveryId, DuePoint, QueueStore, Queues, RecordStore};
use gatepost_storage::{AtMost, Revision};
use webhook_model::{Activity, WebhookId};

use crate::common::{at, enqueue, message, webhook};

async fn three(store: &MemoryStore) -> [WebhookId; 3] {
    let mut webhooks = [WebhookId(0); 3];
    for (webhook_id, name) in webhooks.iter_mut().zip(["a", "b", "c"]) {
        *webhook_id = webhook(store, name, |_| {}).await;
    }
    webhooks
}

fn point(due: i64) -> Queues {
    Queues::Due(DuePoint {
        due: at(due),
        delivery: DeliveryId(i64::MAX),
    })
}

#[tokio::test]
async fn due_queue_is_listed_once_by_its_head() {
    let store = MemoryStore::new();
    let [a, b, c] = three(&store).await;
    let batch = [(a, 1), (a, 5), (a, 6), (b, 6), (c, 9), (c, 20)];
    let batch = batch.map(|(webhook, due)| message(webhook, due)).to_vec();
    enqueue(&store, batch, 0).await;
    let found = store.queues(point(1), 100, at(10)).await.unwrap();
    let queues: Vec<_> = found.due.iter().map(|d| (d.queue.webhook, d.due)).collect();
    assert_eq!(queues, [(a, at(1)), (b, at(6)), (c, at(9))]);
    assert_eq!(found.more, None);

    let mut looked = Vec::new();
    let mut after = Some(point(1));
    while let Some(from) = after {
        let page = store.queues(from, 2, at(10)).await.unwrap();
        looked.push(page.due.len());
        after = page.more;
    }
    assert_eq!(looked, [1, 2, 0], "two deliveries are looked at each time");
}

#[tokio::test]
async fn queue_walk_lists_only_claimable_queues() {
    let store = MemoryStore::new();
    let [a, b, c] = three(&store).await;
    let batch = [(a, 50), (b, 1), (c, 1)];
    let batch = batch.map(|(webhook, due)| message(webhook, due)).to_vec();
    enqueue(&store, batch, 0).await;
    let mut paused = store.webhook(b).await.unwrap().unwrap();
    paused.value.activity = Activity::Paused;
    let paused = store.update_webhook(&paused, AtMost::UNLIMITED, at(0));
    assert_eq!(paused.await.unwrap().revision, Revision::FIRST.next());

    let first = store.queues(Queues::Beyond(None), 2, at(9)).await.unwrap();
    assert_eq!(first.due, []);
    let more = first.more.unwrap();
    assert!(matches!(more, Queues::Beyond(Some(last)) if last.webhook == b));
    let rest = store.queues(more, 2, at(9)).await.unwrap();
    let queues: Vec<_> = rest.due.iter().map(|d| d.queue.webhook).collect();
    assert_eq!((queues, rest.more), (vec![c], None));
    let of = store.queues_of(&[c, a, b, c], at(60)).await.unwrap();
    let of: Vec<_> = of.iter().map(|d| d.queue.webhook).collect();
    assert_eq!(of, [a, c], "in order, each once");
    assert_eq!(store.next_due(at(1)).await.unwrap(), Some(at(50)));
}
