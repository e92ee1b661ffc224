//! Processes that continued to run while a backup was restored.

use std::time::Duration;

use gatepost_engine::Engine;
use gatepost_storage::webhooks::DeliveryQuery;
use gatepost_storage::{Clock as _, Page, SystemClock};
use webhook_model::{Activity, Message};

use super::*;

/// Returns the message of an occurrence, once the process has reconnected to its database.
async fn made_of(engine: &Engine) -> String {
    loop {
        match engine.emit(on()).await {
            Ok(emitted) if !emitted.deliveries.is_empty() => break,
            _ => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    let newest = DeliveryQuery::all(Page::newest(1));
    let found = engine.list_deliveries(&newest).await.unwrap();
    found[0].body.to_string()
}

async fn say(engine: &Engine, id: TaskId, message: &str) {
    let new: Message = message.parse().unwrap();
    let edited = engine.edit_task(id, |task| {
        let Action::Send { message, .. } = &mut task.action else {
            panic!("a task sends");
        };
        *message = new.clone();
        Ok(())
    });
    edited.await.unwrap();
}

/// Authenticates with a key until the process notices the restore.
async fn until_unknown(keys: &KeyService, header: &str) {
    while admitted(keys, header).await.is_some() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_process_forgets_state_from_before_restore() {
    let place = Place::Postgres(fresh());
    let living = place.open().await;
    let keys = service(&living);
    let engine = engine(living.webhooks()).await;
    let kept = make_key(&keys, "kept").await;
    let mut paused = webhook("w", "https://example.com/");
    paused.activity = Activity::Paused;
    let hook = engine.create_webhook(&paused).await.unwrap().id;
    let task = engine.create_task(&task(hook, "as in the backup")).await;
    let task = task.unwrap().id;
    engine.create_event(&event(task)).await.unwrap();
    assert_eq!(made_of(&engine).await, "as in the backup");
    let backup = place.back_up(&living).await;

    // All of this is in the caches of the process, and not in the restored store.
    let lost = make_key(&keys, "lost").await;
    assert_eq!(admitted(&keys, &lost.1).await, Some(lost.0.id));
    say(&engine, task, "edited since").await;
    assert_eq!(made_of(&engine).await, "edited since");
    place.put_back(&backup);
    let other = place.open().await;
    other.keys().restored(SystemClock.now()).await.unwrap();

    until_unknown(&keys, &lost.1).await;
    assert_eq!(made_of(&engine).await, "as in the backup");
    // The same number of edits as were lost: the row is not mistaken for the earlier one.
    say(&engine, task, "edited again").await;
    assert_eq!(made_of(&engine).await, "edited again");
    while admitted(&keys, &kept.1).await != Some(kept.0.id) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (new, header) = make_key(&service(&other), "new").await;
    assert_ne!(new.id, lost.0.id);
    assert_eq!(admitted(&keys, &header).await, Some(new.id));
    assert_eq!(admitted(&keys, &lost.1).await, None);
    engine.shutdown(Duration::from_secs(60)).await;
    keys.shutdown().await;
    other.close().await;
    living.close().await;
}
