//! The platform decides what may be watched, for the task's owner.

use gatepost_keys::OwnerId;
use gatepost_manage::{ManageError, TriggerInput};
use webhook_model::{Action, Event, Target, Task, WebhookId};

use crate::users::{ADMIN, BESIDE, NO_OBJECT, OWNER, TENANT, object};
use crate::world::{World, event};

fn on(id: u128, world: &World) -> Event {
    Event {
        event_type: "vms".parse().unwrap(),
        event: "poweron".parse().unwrap(),
        target: Target::Instance(object(id)),
        ..event(world.rows.task)
    }
}

#[tokio::test]
async fn event_on_inaccessible_object_is_refused_with_reason() {
    let world = World::watched().await;
    for user in [OWNER, TENANT] {
        let actor = world.of(user);
        let made = actor.create_event(on(OWNER, &world)).await.unwrap();
        assert_eq!(made.owner, OwnerId(OWNER));
        // The administrator's own object too: the task is the owner's.
        for foreign in [BESIDE, TENANT] {
            let refused = actor.create_event(on(foreign, &world)).await;
            let Err(ManageError::Refused(words)) = refused else {
                panic!("{refused:?}");
            };
            assert!(words.len() > 10, "{words}");
            let edited = actor.edit_event(made.id, move |event| {
                event.target = Target::Instance(object(foreign));
                Ok(())
            });
            let edited = edited.await;
            assert!(matches!(edited, Err(ManageError::Refused(_))), "{edited:?}");
        }
        let stored = actor.event(made.id).await.unwrap().0.value;
        assert_eq!(stored.target, Target::Instance(object(OWNER)));
    }
}

#[tokio::test]
async fn event_on_missing_object_is_invalid() {
    let world = World::watched().await;
    let actor = world.of(OWNER);
    let made = actor.create_event(on(NO_OBJECT, &world)).await;
    let edited = actor.edit_event(world.rows.event, |event| {
        event.event_type = "vms".parse()?;
        event.event = "poweron".parse()?;
        event.target = Target::Instance(object(NO_OBJECT));
        Ok(())
    });
    for answer in [made, edited.await] {
        let invalid = matches!(answer, Err(ManageError::NoSuchObject));
        assert!(invalid, "{answer:?}");
    }
}

#[tokio::test]
async fn a_form_offers_what_may_be_watched() {
    let world = World::watched().await;
    let objects = [BESIDE, OWNER, NO_OBJECT, TENANT];
    let offered = async |user: u128, owner: u128| {
        let events = objects.map(|id| on(id, &world));
        let actor = world.of(user);
        actor.watchable(OwnerId(owner), events.into()).await
    };
    for (user, owner) in [(OWNER, OWNER), (TENANT, OWNER), (TENANT, TENANT)] {
        let found = offered(user, owner).await.unwrap();
        let found: Vec<_> = found.iter().map(|event| event.target).collect();
        assert_eq!(found, [Target::Instance(object(owner))], "{user}");
    }
    let hidden = offered(BESIDE, OWNER).await;
    assert!(matches!(hidden, Err(ManageError::NotFound)), "{hidden:?}");
}

/// The message goes to the event's owner, even if another user triggers it.
#[tokio::test]
async fn trigger_by_another_user_hides_names_from_owner() {
    let world = World::watched().await;
    let made = on(OWNER, &world);
    let owner = world.of(OWNER);
    let made = owner.create_event(made).await.unwrap().id;
    let told = owner.edit_task(world.rows.task, |task| {
        task.action = Action::Send {
            webhook: webhook_of(task),
            message: "${NAME}".parse()?,
        };
        Ok(())
    });
    told.await.unwrap();
    for user in [OWNER, TENANT, ADMIN] {
        let triggered = world
            .of(user)
            .trigger_event(made, TriggerInput::default())
            .await;
        let sent = triggered.unwrap().deliveries[0];
        let (sent, _) = owner.delivery(sent).await.unwrap();
        assert_eq!(&*sent.body, "vms 3 for 3", "triggered by {user}");
    }
}

fn webhook_of(task: &Task) -> WebhookId {
    match task.action {
        Action::Send { webhook, .. } => webhook,
        _ => panic!("{task:?}"),
    }
}
