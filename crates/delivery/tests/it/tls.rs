//! TLS situations: what verifies, what does not, and what "allow insecure" changes (SPEC 2.2).

use delivery::{ErrorClass, Sender, TlsFault, Trust};
use rcgen::{
    CertificateParams, DnType, GeneralSubtree, IsCa, KeyPair, NameConstraints, date_time_ymd,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::support::certs::{Ca, Here, Shown, ca, ca_of, config, config_of, params, trusting};
use crate::support::receiver::After;
use crate::support::request::{local_builder, now, post};
use crate::support::tls::{BOTH, TlsReceiver};

/// The host of most cases.
const A: &str = "a.example";
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A certificate situation and what verification makes of it.
struct Case {
    what: &'static str,
    host: &'static str,
    shown: Shown,
    fault: Option<TlsFault>,
}

fn dated(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> CertificateParams {
    let mut params = params(names);
    change(&mut params);
    params
}

fn cases(root: &Ca) -> Vec<Case> {
    use TlsFault as F;
    let issue = |params: &CertificateParams| Shown::issued(root, params);
    let of = |name: &str| issue(&params(&[name]));
    let changed = |names: &[&str], change: fn(&mut CertificateParams)| issue(&dated(names, change));
    let case = |what, host, shown, fault| Case {
        what,
        host,
        shown,
        fault,
    };
    let names = (0..1_000).map(|n| format!("h{n}.example"));
    let names = names.chain([A.to_owned()]).collect::<Vec<_>>();
    let many = issue(&CertificateParams::new(names).unwrap());
    let stranger = ca_of(dated(&[], |p| {
        p.distinguished_name.push(DnType::OrganizationName, "X");
    }));
    let stranger = Shown::issued(&stranger, &params(&[A]));
    let late = changed(&[A], |p| p.not_after = date_time_ymd(2027, 1, 14));
    let early = changed(&[A], |p| p.not_before = date_time_ymd(2027, 1, 16));
    let common_name = changed(&[], |p| p.distinguished_name.push(DnType::CommonName, A));
    let constrained = {
        let mut params = params(&[]);
        params.name_constraints = Some(NameConstraints {
            permitted_subtrees: vec![GeneralSubtree::DnsName("other.example".into())],
            excluded_subtrees: vec![],
        });
        intermediate(root, params, true).0
    };
    let chain = |authority| intermediate(root, params(&[]), authority).0;
    let own = |name| Shown::self_signed(&params(&[name]));
    let (ip, b) = ("127.0.0.1", "a.b.example");
    vec![
        case("good chain, good name", A, of(A), None),
        case("trailing dot", "a.example.", of(A), None),
        case("self-signed, good name", A, own(A), Some(F::UnknownIssuer)),
        case("self-signed, wrong name", A, own(b), Some(F::UnknownIssuer)),
        case("unknown root", A, stranger, Some(F::UnknownIssuer)),
        case("expired yesterday", A, late, Some(F::Expired)),
        case("not valid until tomorrow", A, early, Some(F::NotYetValid)),
        case("wrong host name", A, of("b.example"), Some(F::WrongName)),
        case("CN only, no SAN", A, common_name, Some(F::WrongName)),
        case("IP target, SAN has only DNS", ip, of(A), Some(F::WrongName)),
        case("IP target, SAN has the IP", ip, of(ip), None),
        case("two labels", b, of("*.example"), Some(F::WrongName)),
        case("wildcard for one label", b, of("*.b.example"), None),
        case("intermediate shown", A, chain(true), None),
        case("no chain", A, incomplete(root), Some(F::UnknownIssuer)),
        case("no CA:TRUE", A, chain(false), Some(F::BadCertificate)),
        case("constrained", A, constrained, Some(F::BadCertificate)),
        case("1,000 SANs", A, many, None),
    ]
}

/// A chain over an intermediate that may or may not be an authority.
fn intermediate(root: &Ca, mut middle: CertificateParams, authority: bool) -> (Shown,) {
    middle
        .distinguished_name
        .push(DnType::CommonName, "Test Intermediate");
    middle.is_ca = if authority {
        IsCa::Ca(rcgen::BasicConstraints::Unconstrained)
    } else {
        IsCa::ExplicitNoCa
    };
    let middle = Ca::signed_by(middle, KeyPair::generate().unwrap(), root).unwrap();
    let mut shown = Shown::issued(&middle, &params(&["a.example"]));
    shown.chain.push(middle.der().clone());
    (shown,)
}

fn incomplete(root: &Ca) -> Shown {
    let mut shown = intermediate(root, params(&[]), true).0;
    shown.chain.truncate(1);
    shown
}

#[tokio::test]
async fn certificates_are_verified_unless_insecure_is_allowed() {
    let root = ca();
    for case in cases(&root) {
        let receiver = TlsReceiver::start(config(&case.shown, BOTH, &[]), OK, After::Keep).await;
        let sender = trusting(&root).build().unwrap();
        let request = post(&receiver.url(case.host));
        let verified = sender.send(&request.build().unwrap(), now()).await;
        let expected = match &case.fault {
            None => Ok(200),
            Some(fault) => Err(ErrorClass::Tls(fault.clone())),
        };
        assert_eq!(verified.outcome, expected, "{}", case.what);
        let before = receiver.requests();
        assert_eq!(
            before,
            usize::from(case.fault.is_none()),
            "{}: nothing is sent to a receiver that is not trusted",
            case.what
        );
        let insecure = post(&receiver.url(case.host))
            .trust(Trust::AllowInsecure)
            .build()
            .unwrap();
        assert_eq!(
            sender.send(&insecure, now()).await.outcome,
            Ok(200),
            "{} insecure",
            case.what
        );
    }
}

#[tokio::test]
async fn oversized_certificate_is_refused_in_time() {
    let root = ca();
    for names in [10_000, 60_000] {
        let names: Vec<_> = (0..names)
            .map(|n| format!("h{n}.example"))
            .chain(["a.example".to_owned()])
            .collect();
        let shown = Shown::issued(&root, &CertificateParams::new(names).unwrap());
        let receiver = TlsReceiver::start(config(&shown, BOTH, &[]), OK, After::Keep).await;
        let attempt = trusting(&root)
            .build()
            .unwrap()
            .send(&post(&receiver.url("a.example")).build().unwrap(), now())
            .await;
        assert!(
            matches!(attempt.outcome, Err(ErrorClass::Tls(_))),
            "{:?}",
            attempt.outcome
        );
        assert!(attempt.duration < std::time::Duration::from_secs(2));
    }
}

fn trusting_only(root: Vec<u8>) -> Sender {
    let sender = local_builder().resolver(std::sync::Arc::new(Here));
    let sender = sender.roots(delivery::Roots::ExtraOnly).extra_root(root);
    sender.build().unwrap()
}

/// Certificates that rcgen cannot make; `vectors/tls/weak/make.sh` made them with OpenSSL.
#[tokio::test]
async fn weak_signatures_and_short_keys_are_refused() {
    let file = |name: &str| {
        std::fs::read(format!(
            "{}/tests/vectors/tls/weak/{name}",
            env!("CARGO_MANIFEST_DIR")
        ))
        .unwrap()
    };
    let sender = trusting_only(file("root.pem"));
    for (name, fault) in [
        ("sha256.pem", None), // the control: the same root, key and name with a signature of today
        ("sha1.pem", Some(TlsFault::UnsupportedCertificate)),
        ("md5.pem", Some(TlsFault::UnsupportedCertificate)),
        ("rsa1024-chain.pem", Some(TlsFault::BadCertificate)),
    ] {
        let chain = CertificateDer::pem_slice_iter(&file(name))
            .map(Result::unwrap)
            .collect();
        let key = PrivateKeyDer::from_pem_slice(&file("leaf-key.pem")).unwrap();
        let receiver = TlsReceiver::start(config_of(chain, key, BOTH, &[]), OK, After::Keep).await;
        let request = post(&receiver.url("a.example")).build().unwrap();
        let expected = fault.map_or(Ok(200), |fault| Err(ErrorClass::Tls(fault)));
        assert_eq!(
            sender.send(&request, now()).await.outcome,
            expected,
            "{name}"
        );
        let insecure = post(&receiver.url("a.example"))
            .trust(Trust::AllowInsecure)
            .build()
            .unwrap();
        assert_eq!(
            sender.send(&insecure, now()).await.outcome,
            Ok(200),
            "{name}"
        );
    }
}

/// `vectors/tls/p521/make.sh` made the certificates: rcgen signs on P-521 only with another
/// provider.
#[tokio::test]
async fn certificate_on_p521_fails_with_its_cause() {
    let file = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/tls/p521");
        std::fs::read(format!("{folder}/{name}")).unwrap()
    };
    let chain = vec![CertificateDer::from_pem_slice(&file("leaf.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(&file("leaf-key.pem")).unwrap();
    let receiver = TlsReceiver::start(config_of(chain, key, BOTH, &[]), OK, After::Keep).await;
    let sender = trusting_only(file("root.pem"));
    let request = post(&receiver.url("a.example")).build().unwrap();
    let info = sender.send(&request, now()).await.status_info();
    assert!(info.contains("algorithm"), "{info}");
    assert!(info.contains("P-521 (secp521r1)"), "{info}");
    // A target whose own key is on that curve does not even show its certificate.
    let alert = TlsFault::Alert("handshake_failure".to_owned()).to_string();
    assert!(alert.contains("P-521 (secp521r1)"), "{alert}");
}
