//! A failure of the platform's code fails only the call that met it.

use chrono::{DateTime, Utc};
use gatepost_keys::{OwnerId, Via};
use gatepost_manage::{ManageError, Operation};
use gatepost_testkit::fault::Fault;

use crate::calls::calls;
use crate::users::object;
use crate::world::{ADMIN, Mood, OWNER, TENANT, World};

#[tokio::test]
async fn failing_store_gives_error_and_no_audit_entry() {
    let count = calls(World::start().await.rows).len();
    for nth in 0..count {
        for fault in [Fault::Panic, Fault::Refused] {
            let world = World::start().await;
            let call = calls(world.rows).swap_remove(nth);
            world.store.fail(call.store, 1, fault);
            let answer = (call.run)(world.of(OWNER)).await;
            assert!(world.store.has_failed(), "{}", call.name);
            let error = answer.expect_err(call.name);
            let expected = match fault {
                // The engine catches panics in its own calls.
                Fault::Panic if call.store == "enqueue" => error.is_unavailable(),
                Fault::Panic => matches!(error, ManageError::Panicked),
                _ => error.is_unavailable(),
            };
            assert!(expected, "{} {fault:?}: {error:?}", call.name);
            assert_eq!(world.heard(), [], "{}", call.name);
            let again = (call.run)(world.of(OWNER)).await;
            assert!(again.is_ok(), "{}: {again:?}", call.name);
        }
    }
}

#[tokio::test]
async fn replay_failing_midway_reports_and_audits_queued_deliveries() {
    let world = World::start().await;
    let (engine, webhook) = (&world.engine, world.rows.webhook);
    let message = "x".parse().unwrap();
    let mut sent = Vec::new();
    for _ in 0..600 {
        sent.push(engine.send(webhook, Some(&message)).await.unwrap());
    }
    for id in sent {
        world.ended(id).await;
    }
    world.store.fail("replay", 2, Fault::Refused);
    let (from, before) = (DateTime::UNIX_EPOCH, DateTime::<Utc>::MAX_UTC);
    let failed = world.of(OWNER).replay_failed(webhook, from, before).await;
    let queued = match failed {
        Err(ManageError::Interrupted { queued, .. }) => queued,
        other => panic!("{other:?}"),
    };
    assert!((1..600).contains(&queued), "{queued}");
    let heard = world.heard();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert_eq!(heard[0].3, Operation::Replay);
}

#[tokio::test]
async fn cancellation_failing_midway_is_error_and_audited() {
    let world = World::start().await;
    let (actor, task) = (world.of(OWNER), world.rows.task);
    let paused = world.engine.pause_webhook(world.rows.webhook).await;
    paused.unwrap();
    for _ in 0..150 {
        world
            .engine
            .run_task(task, gatepost_engine::RunContext::default(), None)
            .await
            .unwrap();
    }
    world.store.fail("cancel", 2, Fault::Refused);
    let failed = actor.cancel_task(task).await.unwrap_err();
    assert!(failed.is_unavailable(), "{failed:?}");
    let record = (OWNER, "tasks", task.into(), Operation::Cancel);
    assert_eq!(world.heard(), [record]);
    assert_eq!(actor.cancel_task(task).await.unwrap(), 50, "the rest");
}

#[tokio::test(start_paused = true)]
async fn failing_account_lookup_fails_only_dependent_calls() {
    let world = World::start().await;
    for mood in [Mood::Panics, Mood::Hangs, Mood::Errs] {
        *world.platform.accounts.lock().unwrap() = mood;
        for call in calls(world.rows) {
            let answer = (call.run)(world.of(TENANT)).await;
            let failed = matches!(answer, Err(ManageError::Accounts(_)));
            assert!(failed, "{} {mood:?}: {answer:?}", call.name);
        }
        // The platform is not asked about the caller's own records, nor about the administrator.
        assert!(world.of(OWNER).webhook(world.rows.webhook).await.is_ok());
        assert!(world.of(ADMIN).webhook(world.rows.webhook).await.is_ok());
        let who = world.door.log_in(OwnerId(OWNER), Via::Platform).await;
        assert!(matches!(who, Err(ManageError::Accounts(_))), "{who:?}");
        let who = world.door.log_in(OwnerId(ADMIN), Via::Platform).await;
        assert_eq!(who.unwrap().unwrap().owner, OwnerId(ADMIN));
    }
    assert_eq!(world.heard(), []);
}

#[tokio::test(start_paused = true)]
async fn a_directory_that_fails_knows_no_names() {
    let world = World::start().await;
    let actor = world.of(OWNER);
    let known = actor.name("users", object(7)).await;
    assert_eq!(known.as_deref(), Some("users 7 for 3"));
    assert_eq!(actor.choices("users", 2).await.len(), 2);
    let named = actor.names("users", [9, 7, 9].map(object)).await;
    let named: Vec<_> = named.into_iter().collect();
    let name = |key| (object(key), format!("users {key} for 3"));
    assert_eq!(named, [name(7), name(9)]);
    for mood in [Mood::Panics, Mood::Hangs, Mood::Errs] {
        *world.platform.directory.lock().unwrap() = mood;
        assert_eq!(actor.name("users", object(7)).await, None, "{mood:?}");
        assert_eq!(actor.choices("users", 2).await, [], "{mood:?}");
        assert!(
            actor.names("users", [7, 9].map(object)).await.is_empty(),
            "{mood:?}"
        );
    }
}

#[tokio::test]
async fn an_audit_log_that_panics_undoes_nothing() {
    let count = calls(World::start().await.rows).len();
    for nth in 0..count {
        let world = World::start().await;
        let call = calls(world.rows).swap_remove(nth);
        *world.platform.audit.lock().unwrap() = Mood::Panics;
        let answer = (call.run)(world.of(OWNER)).await;
        assert!(answer.is_ok(), "{}: {answer:?}", call.name);
    }
}

#[tokio::test]
async fn platform_action_is_audited_by_name_on_success() {
    let world = World::start().await;
    let actor = world.of(OWNER);
    let refused = actor.platform_act("vms", object(7), "poweron", async { Err::<(), _>("busy") });
    assert_eq!(refused.await.unwrap(), Err("busy"));
    let panics = async { panic!("on purpose") };
    let panicked = actor.platform_act::<(), ()>("vms", object(7), "poweron", panics);
    assert!(matches!(panicked.await, Err(ManageError::Panicked)));
    assert_eq!(world.heard(), []);
    let done = actor.platform_act("vms", object(7), "poweron", async { Ok::<_, ()>(()) });
    assert_eq!(done.await.unwrap(), Ok(()));
    let operation = Operation::Platform("poweron");
    assert_eq!(world.heard(), [(OWNER, "vms", object(7), operation)]);
    assert_eq!(operation.to_string(), "poweron");
}
