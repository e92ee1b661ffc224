//! One attempt against a real TCP receiver: SPEC 2.2, 5.2 and 6.

use std::time::Duration;

use delivery::{ConnectFault, ErrorClass, Phase, Protocol, Retryable};
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::support::receiver::{After, Receiver, local_sender};
use crate::support::request::{now, post};

fn answer(text: &str, after: After) -> (Vec<u8>, After) {
    (text.as_bytes().to_vec(), after)
}

#[tokio::test]
async fn response_2xx_succeeds_and_is_captured() {
    let mut receiver =
        Receiver::fixed("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nx-a: b\r\n\r\nhello").await;
    let request = post(&receiver.url())
        .header("content-type", "application/json")
        .delivery_id("msg_1")
        .build()
        .unwrap();
    let attempt = local_sender().send(&request, now()).await;
    assert_eq!(attempt.outcome, Ok(200));
    assert_eq!(&attempt.body.bytes[..], b"hello");
    assert!(!attempt.body.truncated);
    assert_eq!(attempt.head.as_ref().unwrap().only("x-a"), Some(&b"b"[..]));
    assert_eq!(attempt.address, Some(receiver.addr));
    assert_eq!(attempt.protocol, Some(Protocol::Http1));
    assert_eq!(attempt.retryable(), Retryable::No);
    assert!(attempt.timings.connect.is_some() && attempt.timings.head.is_some());
    let seen = receiver.next().await;
    assert!(
        seen.head.starts_with("POST /in?x=1 HTTP/1.1\r\n"),
        "{}",
        seen.head
    );
    assert_eq!(seen.body, b"{}");
    assert_eq!(
        seen.header("host"),
        Some(receiver.addr.to_string().as_str())
    );
    assert_eq!(seen.header("content-length"), Some("2"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("webhook-id"), Some("msg_1"));
    assert_eq!(seen.header("webhook-signature"), None);
    assert_eq!(seen.header("user-agent"), Some("gatepost-delivery"));
}

#[tokio::test]
async fn response_status_is_classified_by_first_digit() {
    for status in [
        200u16, 204, 299, 300, 301, 304, 307, 400, 401, 404, 410, 413, 429, 500, 503, 600, 999,
    ] {
        let receiver = Receiver::fixed(&format!(
            "HTTP/1.1 {status} X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"
        ))
        .await;
        let attempt = local_sender()
            .send(&post(&receiver.url()).build().unwrap(), now())
            .await;
        let expected = if status < 300 {
            Ok(status)
        } else {
            Err(ErrorClass::Status(status))
        };
        assert_eq!(attempt.outcome, expected);
        assert_eq!(attempt.status, Some(status));
        assert_eq!(receiver.requests(), 1, "a redirect must not be followed");
    }
}

#[tokio::test]
async fn retry_after_counts_only_on_429_and_503() {
    let date = "Fri, 15 Jan 2027 08:01:00 GMT"; // 60 s after now()
    for (status, value, expected) in [
        (429, "120", Retryable::After(Duration::from_secs(120))),
        (503, date, Retryable::After(Duration::from_secs(60))),
        (503, "soon", Retryable::Yes),
        (500, "120", Retryable::Yes),
    ] {
        let receiver = Receiver::fixed(&format!(
            "HTTP/1.1 {status} X\r\nretry-after: {value}\r\ncontent-length: 0\r\n\r\n"
        ))
        .await;
        let attempt = local_sender()
            .send(&post(&receiver.url()).build().unwrap(), now())
            .await;
        assert_eq!(attempt.retryable(), expected, "{status} {value}");
    }
}

#[tokio::test]
async fn closed_port_reports_connection_refused() {
    let addr = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let attempt = local_sender()
        .send(&post(&format!("http://{addr}/")).build().unwrap(), now())
        .await;
    assert_eq!(
        attempt.outcome,
        Err(ErrorClass::Connect(ConnectFault::Refused))
    );
    assert_eq!(
        attempt.status_info(),
        "could not connect: connection refused"
    );
}

#[tokio::test]
async fn connection_ending_before_full_head_reports_reset() {
    for (text, after) in [
        ("", After::Reset),
        ("", After::Close),
        ("HTTP/1.1 200 OK\r\nx:", After::Reset),
        ("HTTP/1.1 200 OK\r\nx:", After::Close),
    ] {
        let receiver = Receiver::start(vec![answer(text, after)]).await;
        let attempt = local_sender()
            .send(&post(&receiver.url()).build().unwrap(), now())
            .await;
        assert_eq!(
            attempt.outcome,
            Err(ErrorClass::Reset),
            "{text:?} {after:?}"
        );
        assert_eq!(
            receiver.requests(),
            1,
            "nothing is sent twice within an attempt"
        );
    }
}

#[tokio::test]
async fn truncated_2xx_body_remains_a_success() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf";
    for after in [After::Reset, After::Close, After::Hang] {
        let receiver = Receiver::start(vec![answer(head, after)]).await;
        let request = post(&receiver.url())
            .timeout(Duration::from_millis(400))
            .build()
            .unwrap();
        let attempt = local_sender().send(&request, now()).await;
        assert_eq!(attempt.outcome, Ok(200), "{after:?}");
        assert!(attempt.body.truncated);
    }
}

#[tokio::test]
async fn silence_ends_with_the_budget_in_each_phase() {
    let budget = Duration::from_millis(300);
    let half = Receiver::start(vec![answer("HTTP/1.1 200 OK\r\nx-a", After::Hang)]).await;
    let mute = Receiver::start(vec![answer("", After::Hang)]).await;
    let slow_body = Receiver::start(vec![answer(
        "HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\nx",
        After::Hang,
    )])
    .await;
    for (receiver, expected) in [
        (&half, ErrorClass::Timeout(Phase::Head)),
        (&mute, ErrorClass::Timeout(Phase::Head)),
        (&slow_body, ErrorClass::Status(500)),
    ] {
        let begun = Instant::now();
        let request = post(&receiver.url()).timeout(budget).build().unwrap();
        let attempt = local_sender().send(&request, now()).await;
        assert_eq!(attempt.outcome, Err(expected));
        assert!(begun.elapsed() >= budget && begun.elapsed() < budget + Duration::from_secs(10));
    }
}

#[tokio::test]
async fn target_that_never_reads_times_out_while_sending() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let request = post(&url)
        .body(vec![b'x'; 64 << 20])
        .timeout(Duration::from_millis(400))
        .build()
        .unwrap();
    let attempt = local_sender().send(&request, now()).await;
    assert_eq!(attempt.outcome, Err(ErrorClass::Timeout(Phase::Send)));
    drop(listener);
}

#[tokio::test]
async fn response_body_is_kept_up_to_16_kib() {
    for (length, truncated) in [
        (0, false),
        (16_383, false),
        (16_384, false),
        (16_385, true),
        (1 << 20, true),
    ] {
        let mut text = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n").into_bytes();
        text.extend(std::iter::repeat_n(b'x', length));
        let receiver = Receiver::start(vec![(text, After::Keep)]).await;
        let attempt = local_sender()
            .send(&post(&receiver.url()).build().unwrap(), now())
            .await;
        assert_eq!(attempt.outcome, Ok(200));
        assert_eq!(
            (attempt.body.bytes.len(), attempt.body.truncated),
            (length.min(16_384), truncated)
        );
    }
}

#[tokio::test]
async fn forbidden_target_is_refused_permanently_without_connecting() {
    let receiver = Receiver::fixed("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let sender = delivery::Sender::builder(delivery::TargetPolicy::public())
        .build()
        .unwrap();
    let by_name = format!("http://localhost:{}/", receiver.addr.port());
    for url in [receiver.url(), by_name] {
        let attempt = sender.send(&post(&url).build().unwrap(), now()).await;
        assert!(
            matches!(attempt.outcome, Err(ErrorClass::Refused(_))),
            "{:?}",
            attempt.outcome
        );
        assert_eq!(attempt.retryable(), Retryable::No);
        assert!(
            !attempt.status_info().contains("127."),
            "{}",
            attempt.status_info()
        );
    }
    assert_eq!(receiver.connections(), 0);
}
