//! A trace, from the occurrence to the requests that it makes.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use gatepost_engine::Replay;
use gatepost_storage::webhooks::{DeliveryId, DeliveryLog};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use webhook_model::{Headers, ObjectId, Occurrence, Target, TraceContext, Webhook};

use crate::captured_log::heard;
use crate::support::{World, poweron, receiver, world, world_with};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn traced() -> Occurrence {
    let trace = TraceContext::from_headers(PARENT, Some("a=1"));
    poweron(1, &[]).traced(trace.unwrap())
}

/// Creates a webhook that receives occurrences on machine 1.
async fn listening(world: &World, statuses: &[u16], change: impl FnOnce(&mut Webhook)) {
    let (_receiver, addr) = receiver(false, statuses).await;
    let webhook = world.webhook("w", addr, change).await;
    let task = world.task(webhook, "x", false).await;
    let machine = Target::Instance(ObjectId::from(1));
    world.event(machine, task).await;
}

/// Returns the trace headers that each attempt sent: `traceparent` and `tracestate`.
async fn sent(world: &World, id: DeliveryId) -> Vec<(Option<String>, Option<String>)> {
    world.ended(id).await;
    let attempts = world.store.attempts(id, 99).await.unwrap();
    let heads = attempts.into_iter().map(|attempt| {
        let head = String::from_utf8(attempt.request_head).unwrap();
        let header = |name: &str| {
            let mut lines = head.lines();
            lines.find_map(|line| Some(line.strip_prefix(name)?.to_owned()))
        };
        (header("traceparent: "), header("tracestate: "))
    });
    heads.collect()
}

#[tokio::test]
async fn every_attempt_and_replay_is_a_trace_span() {
    let world = world().await;
    listening(&world, &[500], |_| {}).await;
    let id = world.engine.emit(traced()).await.unwrap().deliveries[0];
    assert_eq!(sent(&world, id).await.len(), 2);
    world.engine.replay(&Replay::Ids(vec![id])).await.unwrap();
    let three = async || world.store.attempts(id, 99).await.unwrap().len() == 3;
    while !three().await {
        tokio::task::yield_now().await;
    }
    let given: TraceContext = PARENT.parse().unwrap();
    let mut spans = HashSet::from([given.parent.span_id()]);
    for (parent, state) in sent(&world, id).await {
        let own: TraceContext = parent.unwrap().parse().unwrap();
        assert_eq!(own.parent.trace_id(), given.parent.trace_id());
        assert!(own.parent.is_sampled());
        assert!(spans.insert(own.parent.span_id()), "a span of its own");
        assert_eq!(state.as_deref(), Some("a=1"));
    }
}

#[tokio::test]
async fn trace_is_kept_in_outbox_with_occurrence() {
    let world = world().await;
    listening(&world, &[], |_| {}).await;
    world.engine.emit_later(&traced()).await.unwrap();
    let id = DeliveryId(1);
    while world.store.delivery(id).await.unwrap().is_none() {
        tokio::task::yield_now().await;
    }
    let (parent, state) = sent(&world, id).await.remove(0);
    assert!(parent.unwrap().starts_with(&PARENT[..35]));
    assert_eq!(state.as_deref(), Some("a=1"));
}

#[tokio::test]
async fn custom_traceparent_header_is_sent_unchanged() {
    let world = world().await;
    let own = |w: &mut Webhook| w.headers = Headers::parse_lines("traceparent: mine").unwrap();
    listening(&world, &[], own).await;
    let id = world.engine.emit(traced()).await.unwrap().deliveries[0];
    assert_eq!(sent(&world, id).await, [(Some("mine".to_owned()), None)]);
}

#[tokio::test]
async fn trace_headers_are_absent_if_untraced_or_withheld() {
    let open = world().await;
    listening(&open, &[], |_| {}).await;
    let untraced = open.emit(1, &[]).await[0];
    assert_eq!(sent(&open, untraced).await, [(None, None)]);

    let closed = world_with(|builder| builder.withhold_traces()).await;
    listening(&closed, &[], |_| {}).await;
    let id = closed.engine.emit(traced()).await.unwrap().deliveries[0];
    assert_eq!(sent(&closed, id).await, [(None, None)]);
    let kept = closed.store.delivery(id).await.unwrap().unwrap().cause;
    assert_eq!(kept.unwrap().trace, traced().trace, "the platform has it");
}

/// Records the spans without a parent.
#[derive(Clone, Default)]
struct Roots(Arc<Mutex<Vec<&'static str>>>);

impl Subscriber for Roots {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if span.is_root() {
            self.0.lock().unwrap().push(span.metadata().name());
        }
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// As a child it would keep the emit's span open until the target responds.
#[tokio::test]
async fn delivery_span_is_not_child_of_emit_span() {
    let roots = Roots::default();
    let _subscriber = heard(roots.clone());
    let world = world().await;
    listening(&world, &[], |_| {}).await;
    let emit = world.engine.emit(traced());
    let emitted = tracing::Instrument::instrument(emit, tracing::info_span!("request"));
    let id = emitted.await.unwrap().deliveries[0];
    world.ended(id).await;
    assert!(roots.0.lock().unwrap().contains(&"delivery"));
}
