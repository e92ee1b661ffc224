//! The routes that the task engine matches against, and when it must read them again.

use gatepost_ids::Realm;

use crate::fixtures::{UNLIMITED, at, event, routes, task, version, webhook};
use crate::harness::Webhooks;

/// The routes must be all records of the realm, read together at one version, even while others
/// write.
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
