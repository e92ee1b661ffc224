//! One trace: from the request that switches a machine on, through the example platform, to the
//! target; exported to a collector that the test runs.

use std::collections::HashMap;
use std::path::Path;

use examples::receiver::Receiver;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tests::platform::{PASSWORD, PlatformProcess};
use webhook_model::{TraceContext, TraceParent};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");
const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// A span in the collector.
#[derive(Debug)]
struct Span {
    name: String,
    trace: String,
    parent: String,
    kind: Option<i64>,
}

/// Returns all exported spans, by their ids.
fn exported(collector: &Receiver) -> HashMap<String, Span> {
    let batches = collector.received().into_iter().filter(|batch| {
        assert_eq!(batch.path, "/v1/traces");
        assert_eq!(batch.header("content-type"), Some("application/json"));
        true
    });
    let batches: Vec<Value> = batches
        .map(|batch| serde_json::from_str(&batch.body).unwrap())
        .collect();
    let resources = batches
        .iter()
        .flat_map(|batch| list(&batch["resourceSpans"]));
    let scopes = resources.flat_map(|resource| list(&resource["scopeSpans"]));
    let spans = scopes.flat_map(|scope| list(&scope["spans"]));
    spans
        .map(|span| (text(&span["spanId"]), span_of(span)))
        .collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn span_of(span: &Value) -> Span {
    Span {
        name: text(&span["name"]),
        trace: text(&span["traceId"]),
        parent: text(&span["parentSpanId"]),
        kind: span["kind"].as_i64(),
    }
}

fn trace_of(headers: &HeaderMap) -> Option<TraceParent> {
    let value = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let parent = value("traceparent")?;
    let trace = TraceContext::from_headers(parent, value("tracestate"))?;
    Some(trace.parent)
}

/// Switches a machine on, by a request in the caller's trace or in none.
async fn switched_on(platform: &PlatformProcess, caller: Option<&str>) {
    let mut request = platform
        .request("POST", "/api/v4/vm_actions")
        .basic_auth("admin", Some(PASSWORD))
        .body(json!({"vm": 1, "action": "poweron"}).to_string());
    if let Some(caller) = caller {
        request = request.header("traceparent", caller);
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
}

/// On two threads: the collector takes the last batch while the test waits for the platform to end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trace_continues_from_emitting_request_to_receiver() {
    let collector = Receiver::start(None).await.unwrap();
    let address = format!("http://{}", collector.addr);
    let more = ["--traces", address.as_str()];
    let platform = PlatformProcess::start(PROGRAM, Path::new("memory"), &more);
    let target = Receiver::start(None).await.unwrap();
    let url = format!("http://{}/hook", target.addr);
    let webhook = json!({"name": "w", "url": url});
    let webhook = platform.make("webhook_urls", webhook).await;
    let task = json!({"name": "t", "owner": format!("webhook_urls/{webhook}")});
    let task = platform.make("tasks", task).await;
    let event = json!({"owner": "vms/1", "table": "vms", "event": "poweron", "task": task});
    platform.make("task_events", event).await;

    switched_on(&platform, Some(CALLER)).await;
    let first = target.wait_for("/hook", 1).await.unwrap();
    switched_on(&platform, None).await;
    let second = target.wait_for("/hook", 2).await.unwrap();
    let caller: TraceParent = CALLER.parse().unwrap();
    let rows = platform.rows("webhooks?fields=cause_trace&sort=$key").await;
    assert_eq!(
        rows[0]["cause_trace"],
        format!("{:032x}", caller.trace_id())
    );
    assert_ne!(rows[1]["cause_trace"], rows[0]["cause_trace"]);
    assert!(platform.stop(), "it sends what it has and ends well");

    let spans = exported(&collector);
    for (received, parent) in [(first, Some(caller)), (second, None)] {
        let own = trace_of(&received.headers).unwrap();
        let id = format!("{:016x}", own.span_id());
        let attempt = spans
            .get(&id)
            .unwrap_or_else(|| panic!("no span {id}: {spans:?}"));
        assert_eq!((attempt.name.as_str(), attempt.kind), ("delivery", Some(3)));
        // Up from the attempt to the request that made it.
        let mut names = vec![attempt.name.as_str()];
        let mut above = attempt;
        while let Some(span) = spans.get(&above.parent) {
            names.push(&span.name);
            above = span;
        }
        assert_eq!(names, ["delivery", "api.request", "http.request"]);
        let trace = format!("{:032x}", own.trace_id());
        assert!(spans.values().filter(|span| span.trace == trace).count() >= 3);
        let top = parent.map_or(String::new(), |parent| format!("{:016x}", parent.span_id()));
        assert_eq!(above.parent, top);
        assert_eq!(above.kind, Some(2));
        if let Some(parent) = parent {
            assert_eq!(own.trace_id(), parent.trace_id());
        }
    }
}
