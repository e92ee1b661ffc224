//! Mistakes that a platform can make when it sets a sender up.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use delivery::{HeaderNames, Roots, SetupError};

use crate::support::certs::{Shown, ca, params};
use crate::support::receiver::Receiver;
use crate::support::request::{local_builder, now, post};

#[test]
fn each_mistake_has_its_name() {
    let (one, other) = (
        Shown::self_signed(&params(&["a.example"])),
        Shown::self_signed(&params(&["b.example"])),
    );
    let broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_vec();
    let key = one.key.serialize_der();
    for (builder, fault) in [
        (local_builder().roots(Roots::ExtraOnly), SetupError::NoRoots),
        (
            local_builder().extra_root("not a certificate"),
            SetupError::Root,
        ),
        (local_builder().extra_root(broken), SetupError::Root),
        (local_builder().extra_root(""), SetupError::Root),
        (
            local_builder().client_certificate(one.chain[0].to_vec(), "no key"),
            SetupError::ClientCertificate,
        ),
        (
            local_builder().client_certificate(other.chain[0].to_vec(), key),
            SetupError::ClientCertificate,
        ),
        (
            local_builder().user_agent("a\r\nb: c"),
            SetupError::UserAgent,
        ),
    ] {
        assert_eq!(builder.build().unwrap_err(), fault);
    }
    assert!(local_builder().extra_root(ca().pem()).build().is_ok());
}

#[test]
fn byte_order_mark_before_pem_is_dropped() {
    let one = Shown::self_signed(&params(&["a.example"]));
    let marked = |pem: String| format!("\u{feff}{pem}");
    let root = local_builder().roots(Roots::ExtraOnly);
    assert!(root.extra_root(marked(ca().pem())).build().is_ok());
    let (chain, key) = (pem(&one.chain[0]), one.key.serialize_pem());
    let shown = local_builder().client_certificate(marked(chain), marked(key));
    assert!(shown.build().is_ok());
}

fn pem(certificate: &[u8]) -> String {
    let text = STANDARD.encode(certificate);
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

#[test]
fn header_names_are_three_distinct_unreserved_tokens() {
    assert!(HeaderNames::new("svix-id", "svix-timestamp", "svix-signature").is_ok());
    for (id, timestamp, signature) in [
        ("", "b", "c"),
        ("a b", "b", "c"),
        ("a", "a", "c"),
        ("a", "b", "B"),
        ("Host", "b", "c"),
        ("a", "content-length", "c"),
    ] {
        assert_eq!(
            HeaderNames::new(id, timestamp, signature),
            Err(SetupError::HeaderName)
        );
    }
}

#[tokio::test]
async fn other_header_names_are_used_instead() {
    let mut receiver = Receiver::fixed("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let names = HeaderNames::new("svix-id", "svix-timestamp", "svix-signature").unwrap();
    let sender = local_builder()
        .header_names(names)
        .user_agent("acme/1")
        .build()
        .unwrap();
    let keys = delivery::SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap();
    let request = post(&receiver.url())
        .delivery_id("m1")
        .signing(keys)
        .build()
        .unwrap();
    assert!(sender.send(&request, now()).await.is_success());
    let seen = receiver.next().await;
    assert_eq!(seen.header("svix-id"), Some("m1"));
    assert_eq!(seen.header("svix-timestamp"), Some("1800000000"));
    assert!(seen.header("svix-signature").unwrap().starts_with("v1,"));
    assert_eq!(
        (seen.header("webhook-id"), seen.header("user-agent")),
        (None, Some("acme/1"))
    );
}
