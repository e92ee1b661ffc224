//! Every kind of change is logged, with the fields that changed.

use apikey_core::KeyEdit;
use gatepost_ids::OwnerId;
use gatepost_keys::Via;
use gatepost_manage::{About, TriggerInput};
use gatepost_storage::webhooks::Cascade;
use gatepost_storage::{Clock as _, Page};
use webhook_model::{Activity, Authorization, Retries};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn audit_entry_records_actor_time_address_and_change() {
    on_each_store(async |store, stores| {
        let platform = Platform::start(&stores).await;
        let ada = platform.of(ADA);
        let (key, _) = ada.create_key(draft(ADA, "laptop")).await.unwrap();
        let edit = KeyEdit::default().with_name("desktop".parse().unwrap());
        ada.edit_key(key.id, edit).await.unwrap();
        let off = KeyEdit::default().with_enabled(false);
        ada.edit_key(key.id, off).await.unwrap();
        let hook = platform.webhook(ADA, "chat").await;
        let edited = ada.edit_webhook(hook, |webhook| {
            webhook.retries = Retries::new(5)?;
            webhook.authorization = Authorization::bearer("secret-token")?;
            webhook.url = "https://example.org/other?token=1".parse()?;
            Ok(())
        });
        edited.await.unwrap();
        ada.resume_webhook(hook).await.unwrap();
        // Later deliveries wait.
        ada.pause_webhook(hook).await.unwrap();
        let task = platform.task(ADA, hook, "hello").await;
        let edited = ada.edit_task(task, |task| {
            task.name = "daily".parse()?;
            task.action = Action::Send {
                webhook: WebhookId(1),
                message: "other".parse()?,
            };
            Ok(())
        });
        edited.await.unwrap();
        ada.disable_task(task).await.unwrap();
        ada.enable_task(task).await.unwrap();
        let event = platform.of(OPERATOR).create_event(event(task)).await;
        let event = event.unwrap().id;
        ada.disable_event(event).await.unwrap();
        ada.enable_event(event).await.unwrap();
        ada.trigger_event(event, TriggerInput::default())
            .await
            .unwrap();
        ada.run_task(task).await.unwrap();
        ada.test_task(task, About::default()).await.unwrap();
        let sent = ada.send(hook, None).await.unwrap();
        ada.cancel_delivery(sent).await.unwrap();
        ada.replay_delivery(sent).await.unwrap();
        ada.delete_delivery(sent).await.unwrap();
        ada.delete_event(event).await.unwrap();
        ada.delete_task(task).await.unwrap();
        ada.rotate_signing_secret(hook, 1).await.unwrap();
        ada.delete_webhook(hook, Cascade::Tasks).await.unwrap();
        ada.delete_key(key.id).await.unwrap();

        let seen = platform.seen_by(ADA).await;
        let message = seen.iter().find(|row| row.table == "webhooks").unwrap();
        let message = message.name.clone();
        let wanted = [
            "create user_api_keys/1 laptop",
            "update user_api_keys/1 desktop",
            "disable user_api_keys/1 desktop",
            "create webhook_urls/1 chat",
            "update webhook_urls/1 chat",
            "resume webhook_urls/1 chat",
            "pause webhook_urls/1 chat",
            "create tasks/1 nightly",
            "update tasks/1 daily",
            "disable tasks/1 daily",
            "enable tasks/1 daily",
            "create task_events/1 alarms raised",
            "disable task_events/1 alarms raised",
            "enable task_events/1 alarms raised",
            "trigger task_events/1 alarms raised",
            "run tasks/1 daily",
            "test tasks/1 daily",
            "send webhook_urls/1 chat",
            &format!("cancel webhooks/{sent} {message}"),
            &format!("replay webhooks/{sent} {message}"),
            &format!("delete webhooks/{sent} {message}"),
            "delete task_events/1 alarms raised",
            "delete tasks/1 daily",
            "rotate_secret webhook_urls/1 chat",
            "delete webhook_urls/1 chat",
            "delete user_api_keys/1 desktop",
        ];
        let all: Vec<_> = seen.iter().map(said).collect();
        assert_eq!(all, wanted, "{store}");
        assert!(message.starts_with("msg_"), "{store}: {message}");
        for row in &seen {
            let by = if row.operation == "create" && row.table == "task_events" {
                OPERATOR
            } else {
                ADA
            };
            assert_eq!(
                (row.owner, row.actor),
                (OwnerId(ADA), OwnerId(by)),
                "{store}"
            );
            assert_eq!(row.at, platform.clock.now(), "{store}");
            let from = (by == ADA).then_some(FROM);
            assert_eq!((row.from, row.key), (from, None), "{store}: {row:?}");
        }
        assert_eq!(fields(&seen[1]), ["name laptop > desktop"], "{store}");
        assert_eq!(fields(&seen[2]), ["enabled true > false"], "{store}");
        let webhook = [
            "url https://example.com > https://example.org",
            "authorization_type none > bearer",
            "authorization_value",
            "retries 3 > 5",
        ];
        assert_eq!(fields(&seen[4]), webhook, "{store}");
        assert_eq!(
            fields(&seen[8]),
            ["name nightly > daily", "message"],
            "{store}"
        );
        assert_eq!(fields(&seen[23]), ["signing_secret"], "{store}");
        assert!(
            fields(&seen[0]).is_empty(),
            "{store}: a creation names no field"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_by_a_key_names_the_key() {
    on_each_store(async |store, stores| {
        let platform = Platform::start(&stores).await;
        let (key, reveal) = platform
            .keys
            .create(&principal(ADA), draft(ADA, "ci"))
            .await
            .unwrap();
        let header = format!("Bearer {}", reveal.reveal().as_str());
        let by_key = platform
            .keys
            .authenticate([header.as_bytes()], FROM)
            .await
            .unwrap();
        assert_eq!(by_key.via, Via::Key(key.id));
        let actor = platform.door.of(&by_key);
        actor.create_webhook(webhook(ADA, "chat")).await.unwrap();
        let seen = platform.seen_by(ADA).await;
        assert_eq!(
            seen.len(),
            1,
            "{store}: keys made past the door are not logged"
        );
        assert_eq!(seen[0].key, Some(key.id), "{store}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_changes_are_not_logged() {
    let platform = Platform::start(&Stores::in_memory()).await;
    let hook = platform.webhook(ADA, "chat").await;
    let ada = platform.of(ADA);
    ada.create_webhook(webhook(ADA, "chat")).await.unwrap_err();
    ada.create_webhook(webhook(STRANGER, "mine"))
        .await
        .unwrap_err();
    platform.of(STRANGER).pause_webhook(hook).await.unwrap_err();
    ada.edit_webhook(hook, |webhook| {
        webhook.activity = Activity::Paused;
        Err(webhook_model::Invalid::new(
            webhook_model::Field::Name,
            "no",
        ))
    })
    .await
    .unwrap_err();
    assert_eq!(
        platform.seen_by(OPERATOR).await.len(),
        1,
        "the creation alone"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_outlives_the_process() {
    on_each_store(async |store, stores| {
        let platform = Platform::start(&stores).await;
        platform.webhook(ADA, "chat").await;
        platform.log.flush().await;
        drop(platform);
        let again = Platform::start(&stores).await;
        again.webhook(ADA, "mail").await;
        let seen = again.seen_by(ADA).await;
        let names: Vec<_> = seen.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["chat", "mail"], "{store}");
        let one = again.of(ADA).logged_change(seen[0].id).await.unwrap();
        assert_eq!(one, seen[0], "{store}");
        let pages = AuditQuery::all(Page::newest(1).beyond(AuditId(seen[1].id.0)));
        let found = again.of(ADA).logged_changes(&pages).await.unwrap();
        assert_eq!(found.rows, seen[..1], "{store}");
    })
    .await;
}
