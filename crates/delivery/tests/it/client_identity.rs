//! Client identities (mutual TLS): shown to servers that ask for one, and separate in pools and in
//! TLS sessions.

use std::sync::Arc;

use delivery::{ClientIdentity, ClientIdentityError, ErrorClass, RequestError, Sender, TlsFault};
use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};
use tokio::task::JoinSet;

use crate::support::certs::{Ca, ca, trusting};
use crate::support::client_certificates::{Asking, Asks, Client};
use crate::support::request::{now, post};
use crate::support::tls::BOTH;

const OLD: &[&SupportedProtocolVersion] = &[&TLS12];
const NEW: &[&SupportedProtocolVersion] = &[&TLS13];

const H1: Asks = Asks {
    versions: BOTH,
    alpn: "http/1.1",
    required: false,
    keeps: true,
};

const H2: Asks = Asks { alpn: "h2", ..H1 };

/// Returns both protocols over both TLS versions.
fn ways(of: Asks) -> [Asks; 4] {
    let over = |versions, alpn| Asks {
        versions,
        alpn,
        ..of
    };
    [
        over(OLD, "http/1.1"),
        over(NEW, "http/1.1"),
        over(OLD, "h2"),
        over(NEW, "h2"),
    ]
}

/// A root, two of its clients and a sender that trusts it.
fn parts() -> (Ca, [Client; 2], Sender) {
    let root = ca();
    let clients = ["ada", "bob"].map(|name| Client::issued(&root, name));
    let sender = trusting(&root).follow_redirects(3).build().unwrap();
    (root, clients, sender)
}

async fn send(
    sender: &Sender,
    url: &str,
    identity: Option<Arc<ClientIdentity>>,
) -> Result<u16, ErrorClass> {
    let mut request = post(url);
    if let Some(identity) = identity {
        request = request.client_identity(identity);
    }
    let attempt = sender.send(&request.build().unwrap(), now()).await;
    attempt.outcome
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connection_is_never_shared_between_client_identities() {
    let (root, [ada, bob], sender) = parts();
    for asks in ways(H1) {
        let receiver = Asking::start(&root, asks).await;
        // Each is parsed separately, as for each webhook.
        let who = || {
            [
                ("ada", Some(ada.identity())),
                ("bob", Some(bob.identity())),
                ("none", None),
            ]
        };
        for _ in 0..10 {
            for (path, identity) in who() {
                assert_eq!(send(&sender, &receiver.url(path), identity).await, Ok(200));
            }
        }
        let opened = receiver.arrived().iter().map(|one| one.connection).max();
        assert_eq!(opened, Some(2), "one each, used again");
        let mut running = JoinSet::new();
        for (path, identity) in (0..30).flat_map(|_| who()) {
            let (sender, url) = (sender.clone(), receiver.url(path));
            running.spawn(async move { send(&sender, &url, identity).await });
        }
        while let Some(sent) = running.join_next().await {
            assert_eq!(sent.unwrap(), Ok(200));
        }
        let arrived = receiver.arrived();
        assert_eq!(arrived.len(), 120);
        for one in arrived {
            let wanted: &[u8] = match &*one.path {
                "/ada" => &ada.der,
                "/bob" => &bob.der,
                _ => &[],
            };
            assert!(one.shown == wanted, "{}: another certificate", one.path);
        }
    }
}

#[tokio::test]
async fn tls_session_resumes_only_with_its_own_identity() {
    let (root, [ada, bob], sender) = parts();
    for versions in [OLD, NEW] {
        let keeps = false;
        let asks = Asks {
            versions,
            keeps,
            ..H1
        };
        let receiver = Asking::start(&root, asks).await;
        for _ in 0..4 {
            for (path, client) in [("ada", Some(&ada)), ("bob", Some(&bob)), ("none", None)] {
                let identity = client.map(Client::identity);
                assert_eq!(send(&sender, &receiver.url(path), identity).await, Ok(200));
            }
        }
        let arrived = receiver.arrived();
        assert_eq!(arrived.iter().filter(|one| !one.resumed).count(), 3);
        for one in arrived {
            let client = [&ada.der[..], &bob.der, &[]].into_iter();
            let mut client = client.zip(["/ada", "/bob", "/none"]);
            let wanted = client.find(|(_, path)| *path == one.path).unwrap().0;
            assert!(one.shown == wanted, "{}: another's session", one.path);
        }
    }
}

#[tokio::test]
async fn a_target_that_refuses_says_what_it_misses() {
    let (root, [ada, _], sender) = parts();
    let stranger = Client::issued(&ca(), "stranger").identity();
    let required = Asks {
        required: true,
        ..H1
    };
    for asks in ways(required) {
        let receiver = Asking::start(&root, asks).await;
        let missing = send(&sender, &receiver.url(""), None).await.unwrap_err();
        let of = asks.versions.first().unwrap().version;
        let class = ErrorClass::Tls(TlsFault::ClientCertificateRequired);
        assert_eq!(missing, class, "{of:?} {}", asks.alpn);
        let refused = send(&sender, &receiver.url(""), Some(stranger.clone())).await;
        let Err(ErrorClass::Tls(TlsFault::ClientCertificateRefused(alert))) = &refused else {
            panic!("{of:?} {}: {refused:?}", asks.alpn);
        };
        let text = refused.as_ref().unwrap_err().to_string();
        let words =
            format!("TLS: the target refused the client certificate with the alert {alert}");
        assert_eq!(text, words);
        assert!(["unknown_ca", "decrypt_error", "bad_certificate"].contains(&&**alert));
        assert!(receiver.arrived().is_empty());
        assert_eq!(
            send(&sender, &receiver.url(""), Some(ada.identity())).await,
            Ok(200)
        );
    }
}

#[tokio::test]
async fn redirect_to_other_origin_hides_client_identity() {
    let (root, [ada, _], sender) = parts();
    let (first, second) = (
        Asking::start(&root, H1).await,
        Asking::start(&root, H2).await,
    );
    let away = first.url(&format!("go?{}", second.url("away")));
    assert_eq!(send(&sender, &away, Some(ada.identity())).await, Ok(200));
    assert_eq!(second.arrived()[0].shown, b"");
    let within = first.url("go?/within");
    assert_eq!(send(&sender, &within, Some(ada.identity())).await, Ok(200));
    let shown = first.arrived().into_iter().map(|one| one.shown);
    assert_eq!(shown.collect::<Vec<_>>(), vec![ada.der; 3]);
}

#[tokio::test]
async fn client_identity_overrides_the_senders_certificate() {
    let (root, [ada, bob], _) = parts();
    let sender = trusting(&root).client_certificate(bob.chain, bob.key);
    let sender = sender.build().unwrap();
    let receiver = Asking::start(&root, H2).await;
    for identity in [None, Some(ada.identity()), None] {
        assert_eq!(send(&sender, &receiver.url(""), identity).await, Ok(200));
    }
    let shown = receiver.arrived().into_iter().map(|one| one.shown);
    let wanted = vec![bob.der.clone(), ada.der, bob.der];
    assert_eq!(shown.collect::<Vec<_>>(), wanted);
}

#[test]
fn client_identity_errors_are_named_without_the_key() {
    use ClientIdentityError as E;
    let (root, [ada, bob], _) = parts();
    let encrypted =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let older = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,AA\n\nMIIB\n-----END RSA PRIVATE KEY-----\n";
    let other = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n";
    let broken = ada.chain.replacen("MII", "AAA", 1);
    let cut = ada.key.replace("-----END", "");
    let (many, issued) = (ada.chain.repeat(11), root.pem() + &ada.chain);
    let (both, two) = (ada.chain.clone() + &ada.key, ada.key.clone() + &bob.key);
    let long = ada.chain.clone() + &" ".repeat(64 * 1024);
    let second = ada.chain.clone() + &broken;
    for (chain, key, error, about_key) in [
        ("", &*ada.key, E::NoCertificate, false),
        ("hello", &ada.key, E::NoCertificate, false),
        (&broken, &ada.key, E::UnreadableCertificate(1), false),
        (&second, &ada.key, E::UnreadableCertificate(2), false),
        (&both, &ada.key, E::NotOnlyCertificates, false),
        (&many, &ada.key, E::TooManyCertificates, false),
        (&long, &ada.key, E::TooLong, false),
        (&ada.chain, "", E::NoKey, true),
        (&ada.chain, &ada.chain, E::NoKey, true),
        (&ada.chain, encrypted, E::EncryptedKey, true),
        (&ada.chain, older, E::EncryptedKey, true),
        (&ada.chain, other, E::UnusableKey, true),
        (&ada.chain, &cut, E::UnusableKey, true),
        (&ada.chain, &two, E::SeveralKeys, true),
        (&ada.chain, &bob.key, E::WrongKey, true),
        (&issued, &ada.key, E::WrongKey, true),
    ] {
        let refused = ClientIdentity::from_pem(chain, key).unwrap_err();
        assert_eq!((refused, refused.is_about_key()), (error, about_key));
        let key_line = ada.key.lines().nth(1).unwrap();
        assert!(!refused.to_string().contains(key_line));
    }
    let chain = ada.chain.clone() + &root.pem();
    let good = ClientIdentity::from_pem(&chain, &ada.key).unwrap();
    assert_eq!(
        format!("{good:?}"),
        "ClientIdentity { subject: \"CN=ada\", .. }"
    );
    assert_eq!(good.certificate().subject(), "CN=ada");
    let plain = post("http://a.example/").client_identity(Arc::new(good));
    let refused = RequestError::ClientIdentity(E::WithoutTls);
    assert_eq!(plain.build().unwrap_err(), refused);
}
