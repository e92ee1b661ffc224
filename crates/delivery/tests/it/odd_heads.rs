//! Response heads that common receivers and their proxies write and RFC 9112 does not allow: the
//! request was received, and must not be sent again.

use delivery::Sender;

use crate::support::receiver::{Receiver, local_sender};
use crate::support::request::{now, post};

const REST: &str = "content-length: 2\r\n\r\nok";

/// Sends two requests to a receiver that always responds with these lines. Both must succeed over
/// one connection.
async fn expect_success(sender: &Sender, lines: &str) {
    let receiver = Receiver::fixed(&format!("HTTP/1.1 200 OK\r\n{lines}{REST}")).await;
    let request = post(&receiver.url()).build().unwrap();
    for _ in 0..2 {
        let attempt = sender.send(&request, now()).await;
        assert_eq!(attempt.outcome, Ok(200), "{lines:?}");
        assert_eq!(attempt.body.text(), "ok", "{lines:?}");
    }
    assert_eq!((receiver.requests(), receiver.connections()), (2, 1));
}

#[tokio::test]
async fn response_with_folded_header_is_success() {
    let sender = local_sender();
    for folded in [
        "x-long: one\r\n two\r\n",
        "x-long: one\r\n\ttwo\r\n three\r\n",
    ] {
        expect_success(&sender, folded).await;
    }
}

#[tokio::test]
async fn response_with_space_before_colon_is_success() {
    let sender = local_sender();
    for spaced in ["x-spaced : 1\r\n", "x-spaced\t: 1\r\n"] {
        expect_success(&sender, spaced).await;
    }
}

#[tokio::test]
async fn response_with_many_headers_is_success() {
    let sender = local_sender();
    for count in [101, 150, 250] {
        let lines: String = (0..count).map(|n| format!("x-{n}: {n}\r\n")).collect();
        expect_success(&sender, &lines).await;
    }
}
