//! Tests of tasks, and the verdicts on targets before anything is sent.

use delivery::TargetRefusal;
use gatepost_ids::{Realm, TenantId};
use gatepost_storage::owners::OwnerStore as _;
use gatepost_storage::webhooks::DeliveryState;
use tokio::time::Instant;
use webhook_model::{Activity, Object, ObjectId, OwnerId, TargetUrl};

use super::super::run_context::RunContext;
use super::super::targets::TargetVerdict;
use super::{addressed_only, bench};
use crate::access::testing::Platform;
use crate::testing::{Records, noon};

fn about() -> RunContext {
    RunContext {
        event: Some(("vms".parse().unwrap(), "poweron".parse().unwrap())),
        object: Some(Object::new(ObjectId::from(3), "web-3")),
        variables: vec![("CORES".into(), "4".into())],
        data: Some(r#"{"zone":"b"}"#.parse().unwrap()),
        context: Some(r#"{"zone":"7"}"#.parse().unwrap()),
    }
}

#[tokio::test(start_paused = true)]
async fn task_test_sends_marked_message_and_keeps_task() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|w| w.activity = Activity::Paused).await;
    let once = records
        .task(
            webhook,
            "${NAME} has ${CORES} in ${data.zone}${context.zone}",
            true,
        )
        .await;
    let engine = bench.engine();
    let disable = |task: &mut webhook_model::Task| {
        task.enabled = false;
        Ok(())
    };
    engine.edit_task(once, disable).await.unwrap();
    let id = engine.test_task(once, about()).await.unwrap();
    let stored = records.stored(id).await;
    assert_eq!(stored.body.as_ref(), "web-3 has 4 in b7");
    assert_eq!(
        (stored.task, stored.state),
        (Some(once), DeliveryState::Queued)
    );
    assert!(stored.message_id.is_test(), "{}", stored.message_id);
    assert!(
        engine.task(once).await.unwrap().is_some(),
        "it is still there"
    );
}

#[tokio::test(start_paused = true)]
async fn run_about_object_has_its_name_and_variables() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|w| w.activity = Activity::Paused).await;
    let task = records
        .task(
            webhook,
            "${NAME} has ${CORES} in ${data.zone}${context.zone}",
            false,
        )
        .await;
    let ran = bench.engine().run_task(task, about(), None).await.unwrap();
    let stored = records.stored(ran.deliveries[0]).await;
    assert_eq!(stored.body.as_ref(), "web-3 has 4 in b7");
    assert!(!stored.message_id.is_test(), "{}", stored.message_id);
}

#[tokio::test(start_paused = true)]
async fn check_target_reports_private_and_unresolvable_addresses() {
    let (_, bench) = bench().await;
    let (engine, owner) = (bench.engine(), OwnerId(1));
    let url = |text: &str| text.parse::<TargetUrl>().unwrap();
    let private = engine.check_target(&url("http://10.0.0.1/"), owner).await;
    assert!(matches!(
        private,
        TargetVerdict::Refused(TargetRefusal::Special(_))
    ));
    let name = url("http://nowhere.example/");
    assert_eq!(engine.check_url(&name), TargetVerdict::Allowed);
    assert_eq!(
        engine.check_target(&name, owner).await,
        TargetVerdict::NoAddress
    );
}

#[tokio::test(start_paused = true)]
async fn hanging_lookups_end_within_second_and_are_bounded() {
    let (_, bench) = bench().await;
    bench.script.hold();
    let engine = bench.engine();
    let name: TargetUrl = "http://hangs.example/".parse().unwrap();
    let (begun, another) = (Instant::now(), OwnerId(9));
    // Two for each of four users.
    let hung = (0..8).map(|n| {
        let (engine, name) = (engine.clone(), name.clone());
        tokio::spawn(async move { engine.check_target(&name, OwnerId(n / 2)).await })
    });
    for hung in hung.collect::<Vec<_>>() {
        assert_eq!(hung.await.unwrap(), TargetVerdict::Allowed, "not known");
    }
    assert_eq!(begun.elapsed().as_secs(), 1);
    // They still hang: no other caller waits for a ninth.
    let judged = engine.check_target(&name, another).await;
    assert_eq!(judged, TargetVerdict::Allowed);
    assert_eq!(begun.elapsed().as_secs(), 1);
    bench.script.gate.add_permits(9);
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    let judged = engine.check_target(&name, another).await;
    assert_eq!(judged, TargetVerdict::NoAddress);
}

#[tokio::test(start_paused = true)]
async fn hanging_lookups_of_one_realm_delay_no_other() {
    let (records, platform) = (Records::new(), Platform::new());
    let bench = addressed_only(&records, &platform).await;
    for (owner, tenant) in [(1, 7), (2, 7), (3, 7), (4, 8)] {
        let place = Realm::Tenant(TenantId(tenant));
        let placed = records.store.assign_realm(OwnerId(owner), place, noon());
        placed.await.unwrap();
    }
    bench.script.hold();
    let engine = bench.engine();
    let name: TargetUrl = "http://hangs.example/".parse().unwrap();
    // The first two still hang when nobody waits for them any more: the third is not begun.
    for (owner, seconds) in [(1, 1), (2, 1), (3, 0), (4, 1)] {
        let begun = Instant::now();
        let judged = engine.check_target(&name, OwnerId(owner)).await;
        assert_eq!(judged, TargetVerdict::Allowed, "not known");
        assert_eq!(begun.elapsed().as_secs(), seconds, "owner {owner}");
    }
}
