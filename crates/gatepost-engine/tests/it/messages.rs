//! A message on its way from a task to a receiver.

use gatepost_engine::{EmitError, EmitLimits, EngineError, Limits, RunContext};
use webhook_model::{Action, Object, ObjectId, TagId, Target, TaskId};

use crate::support::{poweron, receiver, until, world, world_with};

#[tokio::test]
async fn oversized_message_stops_only_its_own_task() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let large = world.task(webhook, &"${NAME}".repeat(5000), true).await;
    let small = world.task(webhook, "small", false).await;
    for task in [large, small] {
        world
            .event("vms", "poweron", Target::Tag(TagId(1)), task)
            .await;
    }
    let occurrence = poweron(1, &[1]).with_object(Object::new(ObjectId::from(1), "n".repeat(1000)));
    let emitted = world.engine.emit(occurrence.clone()).await.unwrap();
    assert_eq!(
        emitted
            .unrendered
            .iter()
            .map(|(task, _)| *task)
            .collect::<Vec<TaskId>>(),
        [large]
    );
    world.ended(emitted.deliveries[0]).await;
    assert_eq!(*receiver.bodies.lock().unwrap(), ["small"]);
    assert!(
        world.engine.task(large).await.unwrap().is_some(),
        "it did not run, so it is not deleted"
    );

    let by_hand = "${DATE}".repeat(149_000).parse().unwrap();
    let error = world
        .engine
        .send(webhook, Some(&by_hand))
        .await
        .unwrap_err();
    assert!(
        matches!(error, EngineError::Emit(EmitError::Message(_))),
        "{error:?}"
    );

    world.engine.delete_task(small).await.unwrap();
    let emitted = world.engine.emit(occurrence).await.unwrap();
    assert_eq!(
        emitted.unrendered.len(),
        1,
        "no occurrence is refused for it"
    );
    assert!(emitted.deliveries.is_empty());
    world
        .engine
        .edit_task(large, |task| {
            task.action = Action::Send {
                webhook,
                message: "${DATE}".repeat(149_000).parse().unwrap(),
            };
            Ok(())
        })
        .await
        .unwrap();
    let error = world
        .engine
        .run_task(large, RunContext::default(), None)
        .await
        .unwrap_err();
    assert!(
        matches!(error, EngineError::Emit(EmitError::Render { task, .. }) if task == large),
        "{error:?}"
    );
}

#[tokio::test]
async fn platform_and_occurrence_variables_are_filled_in() {
    let world =
        world_with(|builder| builder.variable("SITE", "lab").variable("LEVEL", "low")).await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let task = world
        .task(webhook, "${SITE} ${LEVEL} ${OTHER}", false)
        .await;
    world
        .event("vms", "poweron", Target::Tag(TagId(1)), task)
        .await;
    let occurrence = poweron(1, &[1]).with_variables(vec![("LEVEL".to_owned(), "high".to_owned())]);
    let emitted = world.engine.emit(occurrence).await.unwrap();
    world.ended(emitted.deliveries[0]).await;
    let by_hand = world
        .engine
        .send(webhook, Some(&"${SITE}".parse().unwrap()))
        .await
        .unwrap();
    world.ended(by_hand).await;
    assert_eq!(
        *receiver.bodies.lock().unwrap(),
        ["lab high ${OTHER}", "lab"]
    );
}

#[tokio::test]
async fn oversized_occurrence_is_stored_and_fanned_out_later() {
    let limits = Limits::default().with_emit(EmitLimits::default().with_deliveries(2));
    let world = world_with(|builder| builder.limits(limits)).await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    for n in 0..5 {
        let task = world.task(webhook, &format!("task {n}"), false).await;
        world
            .event("vms", "poweron", Target::Tag(TagId(1)), task)
            .await;
    }
    let emitted = world.engine.emit(poweron(1, &[1])).await.unwrap();
    assert!(emitted.pending && emitted.deliveries.is_empty());
    until(|| receiver.bodies.lock().unwrap().len() == 5).await;
    let mut bodies = receiver.bodies.lock().unwrap().clone();
    bodies.sort();
    let expected: Vec<_> = (0..5).map(|n| format!("task {n}")).collect();
    assert_eq!(bodies, expected);
}
