//! The routes that the task engine matches against, and when it must read them again.

use gatepost_ids::Realm;
use gatepost_storage::webhooks::{Cascade, Enqueued, NewDelivery};
use webhook_model::TaskId;

use crate::fixtures::{UNLIMITED, at, direct, event, message, routes, task, version, webhook};
use crate::harness::Webhooks;

/// Every insert, edit and deletion of a record moves the version of the routes; no read does.
pub async fn r14_every_change_moves_the_version(store: Webhooks) {
    let records = &store.records;
    let mut last = version(&store, Realm::Shared).await;
    let mut moved = async |what: &str, must: bool| {
        let now = version(&store, Realm::Shared).await;
        assert_eq!(now > last, must, "R14 {what}");
        last = now;
    };
    moved("nothing", false).await;
    let hook = records
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    moved("webhook inserted", true).await;
    let hook = records
        .update_webhook(&hook, UNLIMITED, at(1))
        .await
        .unwrap();
    moved("webhook edited", true).await;
    let made = records
        .insert_task(&task(hook.id), UNLIMITED, at(0))
        .await
        .unwrap();
    moved("task inserted", true).await;
    let made = records.update_task(&made, UNLIMITED, at(1)).await.unwrap();
    moved("task edited", true).await;
    let on = records
        .insert_event(&event(made.id), UNLIMITED, at(0))
        .await
        .unwrap();
    moved("event inserted", true).await;
    let on = records.update_event(&on, UNLIMITED, at(1)).await.unwrap();
    moved("event edited", true).await;
    routes(&store, Realm::Shared).await;
    moved("routes read", false).await;
    records.delete_event(on.id, at(2)).await.unwrap();
    moved("event deleted", true).await;
    records.delete_task(made.id, at(2)).await.unwrap();
    moved("task deleted", true).await;
    let deleted = records.delete_webhook(hook.id, Cascade::Tasks, at(2)).await;
    assert!(deleted.is_ok(), "R14 deletion");
    moved("webhook deleted", true).await;
}

/// The routes are all records of the realm read together at one version, even while others write.
pub async fn r15_routes_are_read_together(store: Webhooks) {
    let records = store.records.clone();
    let writer = tokio::spawn(async move {
        for n in 0..24 {
            let hook = webhook(&format!("w{n}"));
            let hook = records
                .insert_webhook(&hook, UNLIMITED, at(0))
                .await
                .unwrap();
            let made = records
                .insert_task(&task(hook.id), UNLIMITED, at(0))
                .await
                .unwrap();
            records
                .insert_event(&event(made.id), UNLIMITED, at(0))
                .await
                .unwrap();
        }
    });
    let mut seen = Vec::new();
    loop {
        // A store that never waits would not let the writer run.
        tokio::task::yield_now().await;
        let done = writer.is_finished();
        let read = routes(&store, Realm::Shared).await;
        let task = |id| read.tasks.iter().any(|t| t.id == id);
        let webhook = |id| read.webhooks.iter().any(|w| w.id == id);
        let whole = read.events.iter().all(|e| task(e.task))
            && read.tasks.iter().all(|t| webhook(t.webhook));
        assert!(whole, "R15 a record without the one it names");
        seen.push((read.version, read.tasks.len() + read.events.len()));
        if done {
            break;
        }
    }
    writer.await.unwrap();
    assert_eq!(seen.last().map(|s| s.1), Some(48), "R15 all of them");
    let same = seen
        .windows(2)
        .all(|s| s[0].0 != s[1].0 || s[0].1 == s[1].1);
    assert!(same, "R15 the version is that of the rows");
    let now = version(&store, Realm::Shared).await;
    assert_eq!(
        seen.last().map(|s| s.0),
        Some(now),
        "R15 the present version"
    );
}

/// A task last ran when its newest delivery was created; one of which no delivery is there, or that
/// is gone, has no last run.
pub async fn r16_the_newest_delivery_is_the_last_run(store: Webhooks) {
    let records = &store.records;
    let hook = records
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    let insert = async || {
        let made = records.insert_task(&task(hook.id), UNLIMITED, at(0)).await;
        made.unwrap().id
    };
    let (ran, idle) = (insert().await, insert().await);
    let asked = [TaskId(idle.0 + 1000), idle, ran, ran];
    let mut last = None;
    for second in [4, 5] {
        let delivery = NewDelivery {
            task: Some(ran),
            ..message(hook.id, "m", at(second))
        };
        let stored = store
            .queue
            .enqueue(direct(vec![delivery]), at(second))
            .await;
        let Ok(Enqueued::Stored { deliveries, .. }) = stored else {
            panic!("R16 {stored:?}");
        };
        last = deliveries.first().map(|stored| stored.id);
        let runs = store.log.last_runs(&asked).await.unwrap();
        assert_eq!(runs, [(ran, at(second))], "R16 the newest");
    }
    store
        .log
        .delete_delivery(last.unwrap(), at(6))
        .await
        .unwrap();
    let runs = store.log.last_runs(&asked).await.unwrap();
    assert_eq!(runs, [(ran, at(4))], "R16 the newest that is left");
}
