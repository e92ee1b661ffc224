//! TLS beyond certificates: trust levels, versions, names, client certificates, connection ends,
//! ALPN.

use delivery::{ErrorClass, MinTls, Protocol, TlsFault, Trust};

use crate::support::certs::{Shown, ca, config, params, trusting};
use crate::support::receiver::After;
use crate::support::request::{now, post};
use crate::support::tls::{BOTH, TlsReceiver};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[tokio::test]
async fn trust_levels_share_no_connections_or_session_tickets() {
    let root = ca();
    let receiver = TlsReceiver::start(
        config(&Shown::self_signed(&params(&["a.example"])), BOTH, &[]),
        OK,
        After::Keep,
    )
    .await;
    let sender = trusting(&root).build().unwrap();
    let build = |trust| {
        post(&receiver.url("a.example"))
            .trust(trust)
            .build()
            .unwrap()
    };
    let (insecure, strict) = (build(Trust::AllowInsecure), build(Trust::Verify));
    for _ in 0..3 {
        assert_eq!(sender.send(&insecure, now()).await.outcome, Ok(200));
        // A connection that was opened without checks lies ready, and a ticket of it too.
        assert_eq!(
            sender.send(&strict, now()).await.outcome,
            Err(ErrorClass::Tls(TlsFault::UnknownIssuer))
        );
    }
    assert_eq!(receiver.requests(), 3);
}

#[tokio::test]
async fn tls_below_minimum_is_refused_at_any_trust() {
    let root = ca();
    let shown = Shown::issued(&root, &params(&["a.example"]));
    let old = TlsReceiver::start(
        config(&shown, &[&rustls::version::TLS12], &[]),
        OK,
        After::Keep,
    )
    .await;
    let new = TlsReceiver::start(
        config(&shown, &[&rustls::version::TLS13], &[]),
        OK,
        After::Keep,
    )
    .await;
    let usual = trusting(&root).build().unwrap();
    let strict = trusting(&root).min_tls(MinTls::V1_3).build().unwrap();
    for trust in [Trust::Verify, Trust::AllowInsecure] {
        let to = |receiver: &TlsReceiver| {
            post(&receiver.url("a.example"))
                .trust(trust)
                .build()
                .unwrap()
        };
        assert_eq!(usual.send(&to(&old), now()).await.outcome, Ok(200));
        assert_eq!(usual.send(&to(&new), now()).await.outcome, Ok(200));
        assert_eq!(strict.send(&to(&new), now()).await.outcome, Ok(200));
        let refused = strict.send(&to(&old), now()).await.outcome;
        assert!(
            matches!(refused, Err(ErrorClass::Tls(TlsFault::Alert(_)))),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn sni_is_host_name_and_absent_for_addresses() {
    let root = ca();
    let shown = Shown::issued(&root, &params(&["a.example", "127.0.0.1"]));
    let mut receiver = TlsReceiver::start(config(&shown, BOTH, &[]), OK, After::Keep).await;
    let sender = trusting(&root).build().unwrap();
    for (host, expected) in [("A.example", Some("a.example")), ("127.0.0.1", None)] {
        let request = post(&receiver.url(host)).build().unwrap();
        assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
        assert_eq!(receiver.names.recv().await.unwrap().as_deref(), expected);
    }
}

#[tokio::test]
async fn client_certificate_is_presented_if_receiver_requests_it() {
    let root = ca();
    let shown = Shown::issued(&root, &params(&["a.example"]));
    let mut roots = rustls::RootCertStore::empty();
    roots.add(root.der().clone()).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let asks =
        rustls::server::WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone())
            .build()
            .unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(shown.key.serialize_der());
    let asking = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(BOTH)
        .unwrap()
        .with_client_cert_verifier(asks)
        .with_single_cert(shown.chain.clone(), key.into())
        .unwrap();
    let receiver = TlsReceiver::start(asking, OK, After::Keep).await;
    let request = post(&receiver.url("a.example")).build().unwrap();

    let without = trusting(&root).build().unwrap().send(&request, now()).await;
    assert!(!without.is_success());
    let client = Shown::issued(&root, &params(&["client.example"]));
    let pem = |label: &str, der: &[u8]| {
        use base64::Engine as _;
        format!(
            "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
            base64::engine::general_purpose::STANDARD.encode(der)
        )
    };
    for (chain, key) in [
        (client.chain[0].to_vec(), client.key.serialize_der()),
        (
            pem("CERTIFICATE", &client.chain[0]).into_bytes(),
            client.key.serialize_pem().into_bytes(),
        ),
    ] {
        let sender = trusting(&root)
            .client_certificate(chain, key)
            .build()
            .unwrap();
        assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
    }
}

#[tokio::test]
async fn unframed_body_without_close_notify_is_marked_truncated() {
    let root = ca();
    let shown = Shown::issued(&root, &params(&["a.example"]));
    for (answer, truncated) in [(OK, false), ("HTTP/1.1 200 OK\r\n\r\nok", true)] {
        let receiver = TlsReceiver::start(config(&shown, BOTH, &[]), answer, After::Close).await;
        let request = post(&receiver.url("a.example")).build().unwrap();
        let attempt = trusting(&root).build().unwrap().send(&request, now()).await;
        assert_eq!(
            (attempt.outcome, attempt.body.truncated),
            (Ok(200), truncated)
        );
    }
}

#[tokio::test]
async fn alpn_falls_back_to_http_1_1() {
    let root = ca();
    let shown = Shown::issued(&root, &params(&["a.example"]));
    for alpn in [&["http/1.1"][..], &[]] {
        let receiver = TlsReceiver::start(config(&shown, BOTH, alpn), OK, After::Keep).await;
        let request = post(&receiver.url("a.example")).build().unwrap();
        let attempt = trusting(&root).build().unwrap().send(&request, now()).await;
        assert_eq!(
            (attempt.outcome, attempt.protocol),
            (Ok(200), Some(Protocol::Http1))
        );
    }
    // A receiver that insists on something else ends the handshake.
    let receiver = TlsReceiver::start(config(&shown, BOTH, &["spdy/3"]), OK, After::Keep).await;
    let request = post(&receiver.url("a.example")).build().unwrap();
    let attempt = trusting(&root).build().unwrap().send(&request, now()).await;
    assert!(
        matches!(attempt.outcome, Err(ErrorClass::Tls(_))),
        "{:?}",
        attempt.outcome
    );
}
