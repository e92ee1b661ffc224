//! 282 raw responses, good, odd and hostile, over TCP and over TLS.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use delivery::{Attempt, ErrorClass, Trust};
use serde::Deserialize;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;

use crate::support::receiver::{After, finish, local_sender};
use crate::support::request::{now, post};
use crate::support::wire::read_request;

const BUDGET: Duration = Duration::from_millis(1000);

#[derive(Clone, Debug, Deserialize)]
struct Case {
    file: String,
    expect: String,
    after: String,
}

fn cases() -> Vec<Case> {
    let manifest = include_str!("../vectors/http/manifest.jsonl");
    manifest
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn after(case: &Case) -> After {
    match case.after.as_str() {
        "close" => After::Close,
        "hang" => After::Hang,
        "rst" => After::Reset,
        "keep" => After::Keep,
        other => panic!("unknown end {other}"),
    }
}

fn acceptor() -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_no_client_auth()
    .with_single_cert(vec![made.cert.der().clone()], key.into())
    .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Plays one case and returns its outcome, the number of requests, and the time.
async fn play(case: &Case, tls: Option<TlsAcceptor>) -> (Attempt, usize, Duration) {
    let path = format!(
        "{}/tests/vectors/http/{}",
        env!("CARGO_MANIFEST_DIR"),
        case.file
    );
    let raw = std::fs::read(path).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}/", listener.local_addr().unwrap());
    let (requests, end) = (Arc::new(AtomicUsize::new(0)), after(case));
    let counted = requests.clone();
    let server = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            if let Some(tls) = &tls {
                let Ok(mut secured) = tls.accept(stream).await else {
                    continue;
                };
                if read_request(&mut secured).await.is_some() {
                    counted.fetch_add(1, SeqCst);
                    let _ = secured.write_all(&raw).await;
                    let _ = secured.flush().await;
                    if end == After::Close {
                        let _ = secured.shutdown().await;
                    }
                }
                stream = secured.into_inner().0;
            } else if read_request(&mut stream).await.is_some() {
                counted.fetch_add(1, SeqCst);
                let _ = stream.write_all(&raw).await;
            }
            tokio::spawn(finish(
                stream,
                if end == After::Keep { After::Hang } else { end },
            ));
        }
    });
    let request = post(&url)
        .trust(Trust::AllowInsecure)
        .timeout(BUDGET)
        .build()
        .unwrap();
    let begun = Instant::now();
    let attempt = local_sender().send(&request, now()).await;
    let took = begun.elapsed();
    server.abort();
    (attempt, requests.load(SeqCst), took)
}

/// Returns whether the manifest allows an outcome.
fn fits(case: &Case, attempt: &Attempt) -> bool {
    match case.expect.as_str() {
        "success" => attempt.is_success(),
        "error" => !attempt.is_success(),
        "timeout" => matches!(attempt.outcome, Err(ErrorClass::Timeout(_))),
        "error or success marked truncated" => !attempt.is_success() || attempt.body.truncated,
        // Decided: the status line is the answer, the missing rest is marked.
        "success marked truncated, or timeout: decide; within the budget" | "as hang_body" => {
            attempt.is_success() && attempt.body.truncated
        }
        "invariants" | "success or error" => true,
        other => panic!("unknown expectation {other}"),
    }
}

async fn play_all(tls: bool) {
    let cases = cases();
    assert_eq!(cases.len(), 282);
    let acceptor = tls.then(acceptor);
    let mut wrong = Vec::new();
    for chunk in cases.chunks(16) {
        let mut running = JoinSet::new();
        for case in chunk.iter().cloned() {
            let acceptor = acceptor.clone();
            running.spawn(async move {
                let (attempt, requests, took) = play(&case, acceptor).await;
                (case, attempt, requests, took)
            });
        }
        while let Some(ended) = running.join_next().await {
            let (case, attempt, requests, took) =
                ended.expect("no response may make the sender panic");
            if !fits(&case, &attempt) || requests != 1 || took > BUDGET + Duration::from_millis(250)
            {
                wrong.push(format!(
                    "{}: {:?} after {took:?}, {requests} requests",
                    case.file, attempt.outcome
                ));
            }
            // Any kept response can be shown.
            let shown = format!(
                "{attempt:?}{}{}",
                attempt.status_info(),
                attempt.body.text()
            );
            assert!(!shown.contains('\u{1b}'));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn raw_responses_are_classified_in_time_over_http() {
    play_all(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn raw_responses_are_classified_in_time_over_tls() {
    play_all(true).await;
}
