//! A message on its way from a task to a receiver.

use gatepost_engine::{EmitError, EngineError, RunContext};
use webhook_model::{Action, Object, ObjectId, TagId, Target, TaskId};

use crate::support::{poweron, receiver, world, world_with};

#[tokio::test]
async fn oversized_message_stops_only_its_own_task() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let large = world.task(webhook, &"${NAME}".repeat(5000), true).await;
    let small = world.task(webhook, "small", false).await;
    for task in [large, small] {
        world.event(Target::Tag(TagId(1)), task).await;
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
    assert_eq!(receiver.bodies(), ["small"]);
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
    world.tagged(webhook, "${SITE} ${LEVEL} ${OTHER}").await;
    let occurrence = poweron(1, &[1]).with_variables(vec![("LEVEL".to_owned(), "high".to_owned())]);
    let emitted = world.engine.emit(occurrence).await.unwrap();
    world.ended(emitted.deliveries[0]).await;
    let by_hand = world
        .engine
        .send(webhook, Some(&"${SITE}".parse().unwrap()))
        .await
        .unwrap();
    world.ended(by_hand).await;
    assert_eq!(receiver.bodies(), ["lab high ${OTHER}", "lab"]);
}
