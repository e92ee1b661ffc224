//! Redirects, if the platform turns them on: each hop is checked by itself, credentials stay with
//! their origin, and the number is limited. That none is followed by default is tested in
//! `attempt.rs`.

use std::time::Duration;

use delivery::{ErrorClass, Phase, Request, Retryable, Sender, SigningKey, SigningKeys};

use crate::support::certs::{Shown, ca, config, params, trusting};
use crate::support::receiver::{After, Receiver, finish, serve};
use crate::support::request::{local_builder, local_policy, now, post};
use crate::support::tls::{BOTH, TlsReceiver};
use crate::support::wire::{Seen, read_request};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn to(status: u16, location: &str) -> String {
    format!("HTTP/1.1 {status} X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")
}

fn answers(all: &[&str]) -> Vec<(Vec<u8>, After)> {
    all.iter()
        .map(|a| (a.as_bytes().to_vec(), After::Keep))
        .collect()
}

fn following(at_most: u8) -> Sender {
    local_builder().follow_redirects(at_most).build().unwrap()
}

/// A request with all that may be a credential.
fn signed(url: &str) -> Request {
    post(url)
        .header("content-type", "application/json")
        .header("x-api-key", "k-1")
        .sensitive_header("authorization", "Bearer s3cret")
        .sensitive_header("accept", "s3cret/type")
        .delivery_id("msg_1")
        .signing(SigningKeys::new([SECRET.parse::<SigningKey>().unwrap()]).unwrap())
        .build()
        .unwrap()
}

#[tokio::test]
async fn same_origin_redirect_resends_the_same_message() {
    for status in [301, 302, 307, 308] {
        let mut receiver = Receiver::start(answers(&[&to(status, "../moved?y=2#part"), OK])).await;
        let attempt = following(3).send(&signed(&receiver.url()), now()).await;
        assert_eq!(attempt.outcome, Ok(200), "{status}");
        assert_eq!((attempt.redirects, attempt.reused), (1, true));
        assert_eq!(&attempt.body.bytes[..], b"ok");
        let (first, second) = (receiver.next().await, receiver.next().await);
        assert!(second.head.starts_with("POST /moved?y=2 HTTP/1.1\r\n"));
        assert_eq!(second.body, first.body);
        let rest = |head: &str| head.split_once("\r\n").unwrap().1.to_owned();
        assert_eq!(rest(&second.head), rest(&first.head));
    }
}

#[tokio::test]
async fn request_can_disable_redirects_and_raise_capture_limit() {
    let redirect = to(307, "/moved").replace("length: 0\r\n\r\n", "length: 5\r\n\r\nabcde");
    let receiver = Receiver::start(answers(&[&redirect])).await;
    let sender = local_builder().follow_redirects(3).capture_limit(2);
    let sender = sender.build().unwrap();
    let request = post(&receiver.url()).no_redirects().capture_limit(4);
    let attempt = sender.send(&request.build().unwrap(), now()).await;
    assert_eq!(attempt.error(), Some(&ErrorClass::Status(307)));
    assert_eq!(
        (&attempt.body.bytes[..], attempt.redirects),
        (&b"abcd"[..], 0)
    );
    assert!(attempt.body.truncated);
}

fn expect_no_credential(seen: &Seen) {
    for gone in [
        "authorization",
        "x-api-key",
        "accept",
        "webhook-signature",
        "webhook-timestamp",
    ] {
        assert_eq!(seen.header(gone), None, "{gone}");
    }
}

#[tokio::test]
async fn credentials_stay_with_their_origin() {
    let mut other = Receiver::fixed(OK).await;
    let mut origin = Receiver::fixed(&to(308, &format!("//{}/b", other.addr))).await;
    let sent = following(3).send(&signed(&origin.url()), now()).await;
    assert_eq!(sent.outcome, Ok(200));
    let first = origin.next().await;
    assert_eq!(first.header("authorization"), Some("Bearer s3cret"));
    assert!(first.header("webhook-signature").is_some());
    let seen = other.next().await;
    expect_no_credential(&seen);
    assert_eq!(seen.body, b"{}");
    assert_eq!(seen.header("host"), Some(other.addr.to_string().as_str()));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("webhook-id"), Some("msg_1"));
    assert_eq!(seen.header("user-agent"), Some("gatepost-delivery"));
}

#[tokio::test]
async fn redirect_back_to_origin_restores_no_credentials() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let middle = Receiver::fixed(&to(302, &format!("http://{addr}/back"))).await;
    let plays = answers(&[&to(302, &middle.url()), OK]);
    let (tell, mut seen) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let counted = std::sync::atomic::AtomicUsize::new(0);
        let (mut stream, _) = listener.accept().await.unwrap();
        serve(&mut stream, &plays, &counted, &tell).await;
    });
    let request = signed(&format!("http://{addr}/"));
    let attempt = following(2).send(&request, now()).await;
    assert_eq!((attempt.outcome, attempt.redirects), (Ok(200), 2));
    let first = seen.recv().await.unwrap();
    assert_eq!(first.header("x-api-key"), Some("k-1"));
    expect_no_credential(&seen.recv().await.unwrap());
}

#[tokio::test]
async fn the_number_of_hops_is_bounded() {
    for at_most in [0, 1, 5, u8::MAX] {
        let receiver = Receiver::fixed(&to(302, "/in")).await;
        let attempt = following(at_most)
            .send(&signed(&receiver.url()), now())
            .await;
        assert_eq!(attempt.outcome, Err(ErrorClass::Status(302)));
        assert_eq!(attempt.retryable(), Retryable::Yes);
        assert_eq!(attempt.redirects, at_most);
        assert_eq!(receiver.requests(), usize::from(at_most) + 1);
    }
}

#[tokio::test]
async fn redirect_targets_are_each_checked_by_policy() {
    let forbidden = Receiver::fixed(OK).await;
    let port = forbidden.addr.port();
    for location in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[::1]/".to_owned(),
        "http://10.0.0.1/".to_owned(),
    ] {
        let policy = delivery::TargetPolicy::public().allow("127.0.0.2/32".parse().unwrap());
        let listener = tokio::net::TcpListener::bind("127.0.0.2:0").await.unwrap();
        let open = listener.local_addr().unwrap();
        let answer = to(307, &location);
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            read_request(&mut stream).await;
            tokio::io::AsyncWriteExt::write_all(&mut stream, answer.as_bytes())
                .await
                .unwrap();
            finish(stream, After::Hang).await;
        });
        let sender = Sender::builder(policy).follow_redirects(3).build().unwrap();
        let attempt = sender
            .send(&signed(&format!("http://{open}/")), now())
            .await;
        assert!(
            matches!(attempt.outcome, Err(ErrorClass::Refused(_))),
            "{location}: {:?}",
            attempt.outcome
        );
        assert_eq!(attempt.retryable(), Retryable::No);
        assert_eq!((attempt.address, attempt.status), (None, None));
    }
    assert_eq!(forbidden.connections(), 0);
}

#[tokio::test]
async fn unfollowable_redirect_is_the_final_response() {
    let end = Receiver::fixed(OK).await;
    let addr = end.addr;
    let doubled = format!(
        "HTTP/1.1 302 X\r\nlocation: http://{addr}/\r\nlocation: http://{addr}/\r\ncontent-length: 0\r\n\r\n"
    );
    let without = "HTTP/1.1 302 X\r\ncontent-length: 0\r\n\r\n".to_owned();
    let cases = [
        (300, to(300, &format!("http://{addr}/"))),
        (303, to(303, &format!("http://{addr}/"))),
        (304, to(304, &format!("http://{addr}/"))),
        (200, to(200, &format!("http://{addr}/"))),
        (201, to(201, &format!("http://{addr}/"))),
        (302, doubled),
        (302, without),
        (302, to(302, &format!("http://user@{addr}/"))),
        (302, to(302, &format!("http://:pass@{addr}/"))),
        (302, to(302, "http://")),
        (302, to(302, "http://a b/")),
        (302, to(302, &format!("ftp://{addr}/"))),
        (302, to(302, "file:///etc/passwd")),
        (302, to(302, "javascript:alert(1)")),
        (302, to(302, "http://h\u{fc}st.example/")),
    ];
    for (status, answer) in cases {
        let receiver = Receiver::fixed(&answer).await;
        let attempt = following(3).send(&signed(&receiver.url()), now()).await;
        assert_eq!(attempt.status, Some(status), "{answer}");
        assert_eq!((receiver.requests(), attempt.redirects), (1, 0), "{answer}");
    }
    assert_eq!(end.connections(), 0);
}

#[tokio::test]
async fn nobody_is_led_from_https_to_http() {
    let root = ca();
    let shown = Shown::issued(&root, &params(&["a.example"]));
    let plain = Receiver::fixed(OK).await;
    let secure = TlsReceiver::start(config(&shown, BOTH, &[]), OK, After::Keep).await;
    let down = TlsReceiver::start(
        config(&shown, BOTH, &[]),
        &to(307, &format!("http://{}/", plain.addr)),
        After::Keep,
    )
    .await;
    let up = Receiver::fixed(&to(307, &secure.url("a.example"))).await;
    let sender = trusting(&root).follow_redirects(3).build().unwrap();
    let attempt = sender.send(&signed(&down.url("a.example")), now()).await;
    assert_eq!(attempt.outcome, Err(ErrorClass::Status(307)));
    assert_eq!(plain.connections(), 0);
    let attempt = sender.send(&signed(&up.url()), now()).await;
    assert_eq!(attempt.outcome, Ok(200), "up is allowed");
}

#[tokio::test(start_paused = true)]
async fn all_hops_share_one_budget() {
    let silent = Receiver::start(vec![(Vec::new(), After::Hang)]).await;
    let first = Receiver::fixed(&to(307, &silent.url())).await;
    let attempt = following(3).send(&signed(&first.url()), now()).await;
    assert_eq!(attempt.outcome, Err(ErrorClass::Timeout(Phase::Head)));
    assert!(
        attempt.duration >= Duration::from_secs(5) && attempt.duration < Duration::from_secs(6)
    );
    assert_eq!(
        attempt.status, None,
        "the response that led on is forgotten"
    );
    assert_eq!(attempt.address, Some(silent.addr));
}

#[tokio::test]
async fn a_narrower_policy_holds_for_the_hops_too() {
    let end = Receiver::fixed(OK).await;
    let start = Receiver::fixed(&to(307, &end.url())).await;
    let sender = following(3);
    assert_eq!(
        sender.send(&signed(&start.url()), now()).await.outcome,
        Ok(200)
    );
    // The connection to the end lies idle; the policy of another owner forbids its port.
    let narrow = local_policy().deny_port(end.addr.port());
    let attempt = sender
        .with_policy(narrow)
        .send(&signed(&start.url()), now())
        .await;
    assert!(matches!(attempt.outcome, Err(ErrorClass::Refused(_))));
    assert_eq!(end.requests(), 1);
}
