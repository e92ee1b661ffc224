//! Receivers that break the handshake.

use std::time::Duration;

use delivery::{ErrorClass, Phase, TlsFault, Trust};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use crate::support::certs::{ca, trusting};
use crate::support::request::{now, post};

/// Answers the ClientHello with bytes, then closes, or drips them a byte at a time and hangs.
async fn start(answer: Vec<u8>, drip: Option<Duration>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://a.example:{}/",
        listener.local_addr().unwrap().port()
    );
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(play(stream, answer.clone(), drip));
        }
    });
    url
}

async fn play(mut stream: TcpStream, answer: Vec<u8>, drip: Option<Duration>) {
    let mut hello = [0; 4096];
    let _ = stream.read(&mut hello).await;
    match drip {
        None => {
            let _ = stream.write_all(&answer).await;
            let _ = stream.shutdown().await;
            while matches!(stream.read(&mut hello).await, Ok(1..)) {}
        }
        Some(pause) => {
            for byte in answer {
                if stream.write_all(&[byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(pause).await;
            }
            std::future::pending::<()>().await;
        }
    }
}

/// A ServerHello of an old version with an old cipher, well formed otherwise.
fn server_hello(version: [u8; 2], cipher: [u8; 2]) -> Vec<u8> {
    let mut body = version.to_vec();
    body.extend([7; 32]); // random
    body.push(0); // no session id
    body.extend(cipher);
    body.push(0); // no compression
    let mut record = vec![
        0x16,
        version[0],
        version[1],
        0,
        u8::try_from(body.len() + 4).unwrap(),
        2,
        0,
        0,
    ];
    record.push(u8::try_from(body.len()).unwrap());
    record.extend(body);
    record
}

#[tokio::test]
async fn a_broken_handshake_is_refused_whatever_the_trust() {
    let alert = |code: u8| vec![0x15, 3, 3, 0, 2, 2, code];
    let mut garbage = server_hello([3, 3], [0x13, 0x01]);
    garbage.extend([0xff; 64]);
    let huge = [&[0x16, 3, 3, 0x40, 0][..], &[0x0b; 0x4000]]
        .concat()
        .repeat(64); // 1 MiB of handshake
    let cases: Vec<(&str, Vec<u8>, Option<TlsFault>)> = vec![
        ("TLS 1.0 only", server_hello([3, 1], [0, 0x2f]), None),
        ("TLS 1.1 only", server_hello([3, 2], [0, 0x2f]), None),
        ("RC4 only", server_hello([3, 3], [0, 0x05]), None),
        ("3DES only", server_hello([3, 3], [0, 0x0a]), None),
        ("NULL cipher", server_hello([3, 3], [0, 0x01]), None),
        (
            "plain HTTP",
            b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
            Some(TlsFault::NotTls),
        ),
        ("garbage after ServerHello", garbage, None),
        ("a handshake of 1 MiB", huge, None),
        (
            "alert handshake_failure",
            alert(40),
            Some(TlsFault::Alert("handshake_failure".into())),
        ),
        (
            "alert unrecognized_name",
            alert(112),
            Some(TlsFault::Alert("unrecognised_name".into())),
        ),
        (
            "close_notify in the handshake",
            vec![0x15, 3, 3, 0, 2, 1, 0],
            None,
        ),
        ("nothing at all", vec![], Some(TlsFault::Closed)),
    ];
    let sender = trusting(&ca()).build().unwrap();
    for (what, answer, fault) in cases {
        let url = start(answer, None).await;
        for trust in [Trust::Verify, Trust::AllowInsecure] {
            let begun = Instant::now();
            let attempt = sender
                .send(&post(&url).trust(trust).build().unwrap(), now())
                .await;
            let Err(ErrorClass::Tls(found)) = &attempt.outcome else {
                panic!("{what}: {:?}", attempt.outcome);
            };
            assert!(
                fault.as_ref().is_none_or(|fault| fault == found),
                "{what}: {found:?}"
            );
            assert!(
                begun.elapsed() < Duration::from_secs(4),
                "{what} must not wait for the budget"
            );
        }
    }
}

#[tokio::test]
async fn a_handshake_without_end_ends_with_the_budget() {
    let sender = trusting(&ca()).build().unwrap();
    let budget = Duration::from_millis(400);
    for answer in [vec![], server_hello([3, 3], [0x13, 0x01])] {
        let url = start(answer, Some(Duration::from_millis(50))).await;
        let begun = Instant::now();
        let attempt = sender
            .send(&post(&url).timeout(budget).build().unwrap(), now())
            .await;
        assert_eq!(attempt.outcome, Err(ErrorClass::Timeout(Phase::Tls)));
        assert!(begun.elapsed() < budget + Duration::from_secs(10));
    }
}
