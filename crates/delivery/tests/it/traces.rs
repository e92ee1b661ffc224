//! The headers of a trace: the requests that carry them, and those that do not.

use delivery::{Request, RequestError};

use crate::support::receiver::{After, Receiver, local_sender};
use crate::support::request::{local_builder, now, post};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn traced(request: Request) -> Request {
    request.with_trace(PARENT, Some("a=1,b=2")).unwrap()
}

fn to(location: &str) -> Vec<u8> {
    let head = "HTTP/1.1 307 X\r\ncontent-length: 0\r\nlocation: ";
    format!("{head}{location}\r\n\r\n").into()
}

#[tokio::test]
async fn a_request_carries_its_trace_and_shows_it() {
    let mut receiver = Receiver::fixed(OK).await;
    let request = post(&receiver.url()).build().unwrap();
    let attempt = local_sender().send(&traced(request.clone()), now()).await;
    let seen = receiver.next().await;
    assert_eq!(seen.header("traceparent"), Some(PARENT));
    assert_eq!(seen.header("tracestate"), Some("a=1,b=2"));
    let shown = String::from_utf8(attempt.request_head).unwrap();
    assert!(
        shown.contains(&format!("traceparent: {PARENT}\r\n")),
        "{shown}"
    );

    let stateless = request.clone().with_trace(PARENT, None).unwrap();
    for (request, parent) in [(stateless, Some(PARENT)), (request, None)] {
        local_sender().send(&request, now()).await;
        let seen = receiver.next().await;
        assert_eq!(seen.header("traceparent"), parent);
        assert_eq!(seen.header("tracestate"), None);
    }
}

#[tokio::test]
async fn request_trace_header_is_kept_and_never_mixed() {
    for (own, parent, state) in [
        ("TraceParent", Some("mine"), None),
        ("tracestate", None, Some("mine")),
    ] {
        let mut receiver = Receiver::fixed(OK).await;
        let request = post(&receiver.url()).header(own, "mine").build().unwrap();
        local_sender().send(&traced(request), now()).await;
        let seen = receiver.next().await;
        assert_eq!(seen.header("traceparent"), parent);
        assert_eq!(seen.header("tracestate"), state);
    }
}

#[tokio::test]
async fn trace_context_follows_redirects_only_within_origin() {
    let following = local_builder().follow_redirects(3).build().unwrap();
    let mut other = Receiver::fixed(OK).await;
    let elsewhere = to(&format!("//{}/b", other.addr));
    let answers = vec![(to("/a"), After::Keep), (elsewhere, After::Keep)];
    let mut origin = Receiver::start(answers).await;
    let request = post(&origin.url()).build().unwrap();
    let attempt = following.send(&traced(request), now()).await;
    assert_eq!(attempt.redirects, 2);
    for _ in 0..2 {
        let seen = origin.next().await;
        assert_eq!(seen.header("traceparent"), Some(PARENT));
    }
    let seen = other.next().await;
    assert_eq!(seen.header("traceparent"), None);
    assert_eq!(seen.header("tracestate"), None);
}

#[test]
fn trace_header_with_line_break_is_refused() {
    let request = post("http://a.example/").build().unwrap();
    let refused = |parent, state| request.clone().with_trace(parent, state).unwrap_err();
    let header = |name: &str| RequestError::HeaderValue(name.to_owned());
    assert_eq!(refused("a\r\nb: c", None), header("traceparent"));
    assert_eq!(refused(PARENT, Some("a=1\n")), header("tracestate"));
}
