//! The proxy here is a script: what it has to receive, and what it says then.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

use super::*;

const V4: &str = "192.0.2.7:443";
const OFFER: &[u8] = &[5, 1, 0];
const OFFER_LOGIN: &[u8] = &[5, 2, 0, 2];
const LOGIN: &[u8] = b"\x01\x04user\x06secret";
const ASK: &[u8] = &[5, 1, 0, 1, 192, 0, 2, 7, 1, 187];

fn login() -> Login {
    let url = url::Url::parse("socks5://user:secret@proxy").unwrap();
    Login::of(&url).unwrap().unwrap()
}

/// Receives and answers, step by step; then it ends the connection.
async fn proxy(mut wire: DuplexStream, script: &[(&[u8], &[u8])]) -> bool {
    for (expected, answer) in script {
        let mut received = vec![0; expected.len()];
        if wire.read_exact(&mut received).await.is_err() || received != *expected {
            return false;
        }
        wire.write_all(answer).await.unwrap();
    }
    true
}

async fn asked(
    target: &str,
    login: Option<&Login>,
    script: &[(&[u8], &[u8])],
) -> Result<Vec<u8>, ProxyFault> {
    let (ours, theirs) = duplex(1024);
    let base = Base::Other(Box::new(ours));
    let target = target.parse().unwrap();
    let (opened, followed) = tokio::join!(connect(base, target, login), proxy(theirs, script));
    assert!(followed, "the proxy received something else: {script:?}");
    let mut rest = Vec::new();
    opened?.read_to_end(&mut rest).await.unwrap();
    Ok(rest)
}

#[tokio::test]
async fn a_way_is_asked_for_and_what_follows_is_the_targets() {
    let v6: &[u8] = b"\x05\x01\x00\x04\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\x00\x50";
    let login = login();
    for (target, login, script) in [
        (
            V4,
            None,
            vec![
                (OFFER, &[5, 0][..]),
                (ASK, b"\x05\0\0\x01\0\0\0\0\0\0hello"),
            ],
        ),
        (
            V4,
            None,
            vec![(OFFER, &[5, 0]), (ASK, b"\x05\0\0\x03\x02me\0\0hello")],
        ),
        (
            V4,
            None,
            vec![(OFFER, &[5, 0]), (ASK, b"\x05\0\0\x03\0\0\0hello")],
        ),
        (
            "[2001:db8::1]:80",
            None,
            vec![
                (OFFER, &[5, 0]),
                (v6, b"\x05\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0hello"),
            ],
        ),
        (
            V4,
            Some(&login),
            vec![
                (OFFER_LOGIN, &[5, 2]),
                (LOGIN, &[1, 0]),
                (ASK, b"\x05\0\0\x01\0\0\0\0\0\0hello"),
            ],
        ),
        // One that wants no login is told none.
        (
            V4,
            Some(&login),
            vec![
                (OFFER_LOGIN, &[5, 0]),
                (ASK, b"\x05\0\0\x01\0\0\0\0\0\0hello"),
            ],
        ),
    ] {
        let got = asked(target, login, &script).await;
        assert_eq!(got, Ok(b"hello".to_vec()), "{script:?}");
    }
}

#[tokio::test]
async fn what_a_proxy_refuses_says_why() {
    let login = login();
    let chosen = (OFFER, &[5, 0][..]);
    for (login, script, fault) in [
        (
            None,
            vec![(OFFER, &[5, 0xff][..])],
            ProxyFault::Authentication,
        ),
        (None, vec![(OFFER, &[5, 2])], ProxyFault::Authentication),
        (None, vec![(OFFER, &[5, 1])], ProxyFault::Protocol),
        (None, vec![(OFFER, b"HT")], ProxyFault::Protocol),
        (None, vec![(OFFER, &[5])], ProxyFault::Connect),
        (
            Some(&login),
            vec![(OFFER_LOGIN, &[5, 2]), (LOGIN, &[1, 1])],
            ProxyFault::Authentication,
        ),
        (
            Some(&login),
            vec![(OFFER_LOGIN, &[5, 2]), (LOGIN, &[5, 0])],
            ProxyFault::Protocol,
        ),
        (None, vec![chosen, (ASK, &[5, 1, 0, 1])], ProxyFault::Target),
        (None, vec![chosen, (ASK, &[5, 6, 0, 1])], ProxyFault::Target),
        (
            None,
            vec![chosen, (ASK, &[5, 7, 0, 1])],
            ProxyFault::Protocol,
        ),
        (
            None,
            vec![chosen, (ASK, &[4, 0, 0, 1])],
            ProxyFault::Protocol,
        ),
        (
            None,
            vec![chosen, (ASK, &[5, 0, 0, 2])],
            ProxyFault::Protocol,
        ),
        (
            None,
            vec![chosen, (ASK, &[5, 0, 0, 1, 0, 0])],
            ProxyFault::Connect,
        ),
    ] {
        assert_eq!(asked(V4, login, &script).await, Err(fault), "{script:?}");
    }
}
