//! The preview is what is sent, to the byte.

use delivery::{SigningKeys, SpecialPurpose, TargetPolicy, TargetRefusal};

use crate::support::receiver::{Receiver, local_sender};
use crate::support::request::{now, post};

#[tokio::test]
async fn preview_equals_sent_headers_and_body() {
    let mut receiver = Receiver::fixed("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let request = post(&receiver.url())
        .header("x-b", "2")
        .header("x-a", "1")
        .header("webhook-id", "forged")
        .sensitive_header("authorization", "Bearer canary")
        .body("{\"a\":1}")
        .delivery_id("msg_1")
        .signing(SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap())
        .build()
        .unwrap();
    let sender = local_sender();
    let preview = sender.preview(&request, now()).unwrap();
    assert_eq!(preview.verdict, Ok(()));
    assert_eq!(
        preview.signature_base.as_deref(),
        Some(&b"msg_1.1800000000.{\"a\":1}"[..])
    );
    assert!(!format!("{preview:?}").contains("canary"));
    assert_eq!(receiver.connections(), 0, "nothing is sent");

    assert!(sender.send(&request, now()).await.is_success());
    let seen = receiver.next().await;
    assert_eq!(seen.head.as_bytes(), preview.head);
    assert_eq!(seen.body, preview.body);
    assert_eq!(
        seen.header("webhook-id"),
        Some("msg_1"),
        "a header of the caller's cannot take its place"
    );
}

#[test]
fn preview_reports_the_policy_verdict() {
    let sender = delivery::Sender::builder(TargetPolicy::public())
        .build()
        .unwrap();
    let preview = sender
        .preview(&post("http://[::ffff:10.0.0.1]/").build().unwrap(), now())
        .unwrap();
    assert_eq!(
        preview.verdict,
        Err(TargetRefusal::Special(SpecialPurpose::Private))
    );
}
