//! Trusted certificate authorities, and the cryptography provider.

#![allow(clippy::print_stdout)] // the child prints its outcome

use std::sync::Arc;

use delivery::{CryptoProvider, ErrorClass, Roots, TlsFault};
use rustls::crypto::ring::{cipher_suite, default_provider};

use crate::support::certs::{Shown, ca, config, params, trusting};
use crate::support::receiver::After;
use crate::support::request::{local_builder, now, post};
use crate::support::tls::{BOTH, TlsReceiver};

/// The variable with the URL that the child sends to.
const TARGET: &str = "GATEPOST_TEST_TARGET";
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Runs in its own process, whose environment names the location of the operating system's
/// certificates.
#[tokio::test]
async fn platform_roots_come_from_the_operating_system() {
    let this = "roots_and_provider::platform_roots_come_from_the_operating_system";
    if let Ok(target) = std::env::var(TARGET) {
        return with_the_platforms_roots(&target).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let (known, stranger) = (ca(), ca());
    for (name, root) in [("known", &known), ("stranger", &stranger)] {
        std::fs::write(folder.path().join(name), root.pem()).unwrap();
    }
    let receiver = TlsReceiver::start(
        config(&Shown::issued(&known, &params(&["127.0.0.1"])), BOTH, &[]),
        OK,
        After::Keep,
    )
    .await;
    for (file, expected) in [("known", "trusted"), ("stranger", "not trusted")] {
        let child = tokio::process::Command::new(std::env::current_exe().unwrap())
            .args([this, "--exact", "--nocapture"])
            .env("SSL_CERT_FILE", folder.path().join(file))
            .env_remove("SSL_CERT_DIR")
            .env(TARGET, receiver.url("127.0.0.1"))
            .output()
            .await
            .unwrap();
        let told = String::from_utf8_lossy(&child.stdout);
        assert!(
            told.contains(&format!("outcome: {expected}\n")),
            "{file}: {told}"
        );
    }
}

async fn with_the_platforms_roots(target: &str) {
    let sender = local_builder().roots(Roots::Platform).build().unwrap();
    let request = post(target).build().unwrap();
    let outcome = sender.send(&request, now()).await.outcome;
    let told = match &outcome {
        Ok(200) => "trusted",
        Err(ErrorClass::Tls(TlsFault::UnknownIssuer | TlsFault::BadCertificate)) => "not trusted",
        other => &format!("{other:?}"),
    };
    println!("\noutcome: {told}");
}

#[tokio::test]
async fn the_cryptography_is_the_platforms_to_choose() {
    let root = ca();
    let shown = Shown::issued(&root, &params(&["a.example"]));
    let tls13 = [&rustls::version::TLS13];
    let receiver = TlsReceiver::start(config(&shown, &tls13, &[]), OK, After::Keep).await;
    let older = [&rustls::version::TLS12];
    let old = TlsReceiver::start(config(&shown, &older, &[]), OK, After::Keep).await;
    let provider = CryptoProvider {
        cipher_suites: vec![cipher_suite::TLS13_CHACHA20_POLY1305_SHA256],
        ..default_provider()
    };
    let narrow = trusting(&root)
        .crypto_provider(Arc::new(provider))
        .build()
        .unwrap();
    let to = |receiver: &TlsReceiver| post(&receiver.url("a.example")).build().unwrap();
    assert_eq!(narrow.send(&to(&receiver), now()).await.outcome, Ok(200));
    let refused = narrow.send(&to(&old), now()).await.outcome;
    assert!(matches!(refused, Err(ErrorClass::Tls(_))), "{refused:?}");
    let usual = trusting(&root).build().unwrap();
    assert_eq!(usual.send(&to(&old), now()).await.outcome, Ok(200));
    assert!(
        CryptoProvider::get_default().is_none(),
        "nothing is installed for the whole process"
    );
}
