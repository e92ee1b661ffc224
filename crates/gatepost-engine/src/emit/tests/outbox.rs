//! The drain of the outbox.

use gatepost_ids::{Audience, TenantId};
use gatepost_storage::Revision;
use gatepost_testkit::fault::Fault;
use webhook_model::{Occurrence, WebhookId};

use super::*;

#[tokio::test(start_paused = true)]
async fn what_is_in_the_outbox_is_fanned_out_once() {
    let records = Records::new();
    let webhook = records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    bench.webhooks.get(webhook, Revision::FIRST).await.unwrap();
    let outbox = drain(&bench, emitter);
    let named = Occurrence {
        id: Some("evt-1".parse().unwrap()),
        ..poweron(1, &[1])
    };
    for occurrence in [&named, &poweron(2, &[1]), &named] {
        outbox.push(occurrence).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(bench.script.sent(), ["vm 1", "vm 2"]);
    assert!(rows(&records).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_occurrence_waits_in_the_outbox_while_the_store_is_away_or_panics() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    bench.store.set_refused("enqueue", true);
    let outbox = drain(&bench, emitter);
    outbox.push(&poweron(1, &[1])).await.unwrap();
    pass(&bench, Duration::from_secs(5)).await;
    assert_eq!(rows(&records).await.len(), 1);
    bench.store.set_refused("enqueue", false);
    bench.store.fail("take_outbox", 1, Fault::Panic);
    pass(&bench, Duration::from_secs(10)).await;
    assert!(bench.store.has_failed());
    assert_eq!(records.deliveries().await.len(), 1);
    bench.broken.set_broken(true);
    assert!(outbox.push(&poweron(2, &[1])).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_row_for_nobody_on_a_platform_with_tenants_is_set_aside_and_delays_no_other() {
    let records = Records::new();
    let platform = Platform::new();
    platform.user(1, 7);
    let (bench, emitter) =
        bench_of(&records, &Limits::default(), Rule::AddressedOnly, &platform).await;
    records.tagged_of(1, "x").await;
    let judge = bench.judge.clone();
    judge.admit_change(webhook_model::OwnerId(1)).await.unwrap();
    bench
        .store
        .fail("reject_outbox", 1, Fault::Late(Duration::ZERO));
    let outbox = drain(&bench, emitter);
    outbox.push(&poweron(1, &[1])).await.unwrap();
    let fine = Occurrence {
        audience: Audience::Owner(webhook_model::OwnerId(1)),
        ..poweron(2, &[1])
    };
    outbox.push(&fine).await.unwrap();
    pass(&bench, Duration::from_secs(1)).await;
    assert!(rows(&records).await.is_empty());
    assert!(bench.store.has_failed(), "it was late to be set aside");
    let made = records.deliveries().await;
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].webhook, WebhookId(1));
    assert_eq!(made[0].tenant, Some(TenantId(7)));
}
