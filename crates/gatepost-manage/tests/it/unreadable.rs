//! Records that cannot be read are listed for users who may see them, so that they can be deleted,
//! and do not affect other records.

use std::collections::BTreeMap;

use gatepost_manage::{Actor, ManageError, TriggerInput};
use gatepost_storage::webhooks::{Cascade, RecordId, WebhookQuery};
use gatepost_storage::{Page, Scope};

use crate::users::{ABROAD, ADMIN, BESIDE, INSIDE, OWNER, STRANGER, TENANT};
use crate::world::{World, webhook};

/// A world in which all records of the owner are lost.
async fn lost() -> (World, [RecordId; 3]) {
    let world = World::start().await;
    let rows = world.rows;
    let records = [
        RecordId::Webhook(rows.webhook),
        RecordId::Task(rows.task),
        RecordId::Event(rows.event),
    ];
    for record in records {
        world.store.set_unreadable(record, true);
    }
    (world, records)
}

async fn listed(actor: &Actor) -> Vec<RecordId> {
    let found = actor.unreadable().await.unwrap();
    found.iter().map(|found| found.record).collect()
}

#[tokio::test]
async fn unreadable_rows_are_listed_only_to_managers() {
    let (world, records) = lost().await;
    for user in [OWNER, TENANT, ADMIN] {
        assert_eq!(listed(&world.of(user)).await, records, "{user}");
    }
    for user in [BESIDE, STRANGER, ABROAD] {
        assert_eq!(listed(&world.of(user)).await, [], "{user}");
    }
    let found = &world.of(OWNER).unreadable().await.unwrap()[0];
    assert_eq!((found.owner.0, &*found.reason), (OWNER, "the test says so"));
}

/// An administrator's tenant holds rows that are not the administrator's to manage.
#[tokio::test]
async fn unreadable_list_shows_100_behind_rows_of_others() {
    let world = World::start().await;
    let mut lost = BTreeMap::from([(INSIDE, Vec::new()), (OWNER, Vec::new())]);
    for owner in std::iter::repeat_n(INSIDE, 450).chain([OWNER; 101]) {
        let of_owner = lost.get_mut(&owner).unwrap();
        let name = format!("lost {}", of_owner.len());
        let webhook = world.engine.create_webhook(&webhook(owner, &name)).await;
        let record = RecordId::Webhook(webhook.unwrap().id);
        world.store.set_unreadable(record, true);
        of_owner.push(record);
    }
    for user in [OWNER, TENANT] {
        assert_eq!(listed(&world.of(user)).await, lost[&OWNER][..100], "{user}");
    }
    for user in [INSIDE, ADMIN] {
        assert_eq!(
            listed(&world.of(user)).await,
            lost[&INSIDE][..100],
            "{user}"
        );
    }
}

#[tokio::test]
async fn unreadable_row_error_is_shown_only_to_managers() {
    let (world, _) = lost().await;
    let rows = world.rows;
    for (user, is_hidden) in [(OWNER, false), (TENANT, false), (BESIDE, true)] {
        let actor = world.of(user);
        let answers = [
            actor.webhook(rows.webhook).await.map(drop),
            actor.task(rows.task).await.map(drop),
            actor.event(rows.event).await.map(drop),
            actor.edit_task(rows.task, |_| Ok(())).await.map(drop),
            actor
                .send_test(rows.webhook, None, String::new())
                .await
                .map(drop),
            actor.pause_webhook(rows.webhook).await.map(drop),
            actor.resume_webhook(rows.webhook).await.map(drop),
            actor.enable_task(rows.task).await.map(drop),
            actor.disable_task(rows.task).await.map(drop),
            actor.run_task(rows.task).await.map(drop),
            actor.enable_event(rows.event).await.map(drop),
            actor.disable_event(rows.event).await.map(drop),
            actor
                .trigger_event(rows.event, TriggerInput::default())
                .await
                .map(drop),
        ];
        for answer in answers {
            match answer {
                Err(ManageError::NotFound) => assert!(is_hidden, "{user}"),
                Err(ManageError::Unreadable) => assert!(!is_hidden, "{user}"),
                other => panic!("{user}: {other:?}"),
            }
        }
    }
    let words = ManageError::Unreadable.to_string();
    assert_eq!(words, "the row cannot be read; it can be deleted");
}

#[tokio::test]
async fn unreadable_rows_are_skipped_in_lists_and_log() {
    let (world, _) = lost().await;
    let (actor, rows) = (world.of(OWNER), world.rows);
    let query = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: Page::first(10),
    };
    let listed = actor.webhooks(&query).await.unwrap().rows;
    assert_eq!(listed.len(), 1, "{listed:?}");
    let names = actor.webhook_names([rows.webhook, rows.paused]).await;
    assert_eq!(names.unwrap().len(), 1);
    assert!(actor.task_names([rows.task]).await.unwrap().is_empty());
    let (delivery, webhook) = actor.delivery(rows.ended).await.unwrap();
    assert_eq!((delivery.id, webhook), (rows.ended, None));
}

#[tokio::test]
async fn their_owner_deletes_them_and_nobody_else() {
    let (world, _) = lost().await;
    let rows = world.rows;
    for user in [BESIDE, STRANGER, ABROAD] {
        let actor = world.of(user);
        let answers = [
            actor.delete_event(rows.event).await,
            actor.delete_task(rows.task).await,
            actor.delete_webhook(rows.webhook, Cascade::Tasks).await,
        ];
        for answer in answers {
            let hidden = matches!(answer, Err(ManageError::NotFound));
            assert!(hidden, "{user}: {answer:?}");
        }
    }
    let owner = world.of(OWNER);
    owner.delete_event(rows.event).await.unwrap();
    owner.delete_task(rows.task).await.unwrap();
    owner
        .delete_webhook(rows.webhook, Cascade::Refuse)
        .await
        .unwrap();
    assert_eq!(listed(&owner).await, []);
}
