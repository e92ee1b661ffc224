//! A network in which every address on earth is this machine: who connects anywhere is seen.
//!
//! Needs a network namespace of its own, so it is left to `tests/sinkhole.sh`, as root on Linux:
//! `unshare -n sh crates/delivery/tests/sinkhole.sh`

#![allow(clippy::unwrap_used)] // a helper that fails is a test that fails

mod common;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::spellings::{FORBIDDEN, PUBLIC, spellings};
use common::{now, read_request};
use delivery::{ErrorClass, Request, Resolve, ResolveFuture, Sender, TargetPolicy, Trust};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

type Hits = Arc<Mutex<HashMap<IpAddr, usize>>>;

/// Answers every request with a way to the metadata service, and notes which address was meant.
async fn sink(hits: &Hits) {
    // Takes IPv4 too: [::] is both unless told otherwise.
    let listener = TcpListener::bind("[::]:80").await.unwrap();
    let hits = hits.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let meant = stream.local_addr().unwrap().ip().to_canonical();
            *hits.lock().unwrap().entry(meant).or_default() += 1;
            tokio::spawn(async move {
                read_request(&mut stream).await;
                let _ = stream
                        .write_all(b"HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
                        .await;
            });
        }
    });
}

/// Answers with the address that stands in the name: `10-0-0-1.names.example`, several joined by `--and--`.
#[derive(Debug)]
struct Spelled;

impl Resolve for Spelled {
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a> {
        let name = host.strip_suffix(".names.example").unwrap();
        let addrs = name
            .split("--and--")
            .map(|a| a.replace('-', ".").parse().unwrap())
            .collect();
        Box::pin(async move { Ok(addrs) })
    }
}

async fn send(sender: &Sender, url: &str) -> Option<delivery::Attempt> {
    let url = url::Url::parse(url).ok()?;
    let request = Request::builder(url)
        .trust(Trust::AllowInsecure)
        .timeout(Duration::from_secs(3))
        .build()
        .ok()?;
    Some(sender.send(&request, now()).await)
}

#[tokio::test]
#[ignore = "needs a network namespace: unshare -n sh crates/delivery/tests/sinkhole.sh"]
async fn nobody_is_ever_connected_to_whom_the_policy_refuses() {
    let hits = Hits::default();
    sink(&hits).await;
    let sender = Sender::builder(TargetPolicy::public())
        .resolver(Arc::new(Spelled))
        .build()
        .unwrap();
    let mut tried = 0;
    for text in FORBIDDEN {
        let named = text.replace('.', "-");
        let names = [
            format!("{named}.names.example"),
            format!("8-8-8-8--and--{named}.names.example"),
            format!("{named}--and--8-8-8-8.names.example"),
        ];
        for host in spellings(text.parse().unwrap()).into_iter().chain(names) {
            for scheme in ["http", "https"] {
                let Some(attempt) = send(&sender, &format!("{scheme}://{host}/x")).await else {
                    continue;
                };
                tried += 1;
                assert!(
                    matches!(attempt.outcome, Err(ErrorClass::Refused(_))),
                    "{host}: {:?}",
                    attempt.outcome
                );
            }
        }
    }
    assert!(tried >= 2000, "{tried}");
    assert!(
        hits.lock().unwrap().is_empty(),
        "{:?}",
        hits.lock().unwrap()
    );

    // The control: public addresses do get through, once each, and their redirects lead nowhere.
    let mut reached = 0;
    for text in PUBLIC {
        let host = if text.contains(':') {
            format!("[{text}]")
        } else {
            text.to_owned()
        };
        let attempt = send(&sender, &format!("http://{host}/")).await.unwrap();
        assert_eq!(attempt.outcome, Err(ErrorClass::Status(302)), "{text}");
        reached += 1;
    }
    let hits = hits.lock().unwrap();
    assert_eq!(hits.values().sum::<usize>(), reached);
    assert!(!hits.contains_key(&"169.254.169.254".parse().unwrap()));
}
