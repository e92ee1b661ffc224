//! The code that the console shows for receivers accepts real deliveries, and nothing else.

#[allow(unreachable_pub, reason = "as a receiver would have it")]
#[path = "../../../crates/gatepost-console/src/assets/verify/ed25519.rs"]
mod ed25519;
#[allow(unreachable_pub, reason = "as a receiver would have it")]
#[path = "../../../crates/gatepost-console/src/assets/verify/hmac.rs"]
mod hmac;

use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::SigningKey;
use examples::receiver::{Received, Receiver};
use serde_json::json;
use tests::browser::form_input::hook;
use tests::browser::{Site, Visitor};
use webhook_model::{SigningSecret, SigningSecrets, WebhookId};

const FOLDER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/gatepost-console/src/assets/verify"
);
const PYTHON: &str = "import json, runpy, sys
verify = runpy.run_path(sys.argv[1])['verify']
verify(json.loads(sys.argv[2]), sys.stdin.buffer.read())";
const NODE: &str = "const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { verify } = await import('file://' + process.argv[1]);
verify(JSON.parse(process.argv[2]), Buffer.concat(chunks));";

/// The data of a receiver, and the message that it received.
struct Arrived {
    scheme: &'static str,
    /// The environment variable that the code reads, and its value.
    known: (&'static str, String),
    message: Received,
}

impl Arrived {
    fn header(&self, name: &str) -> &str {
        self.message.header(name).unwrap()
    }

    /// Whether the code of a language accepts this body under this key. `None` if the machine lacks
    /// the interpreter or a library.
    fn accepted_by(&self, language: &str, known: &str, body: &str) -> Option<bool> {
        let (program, args) = match language {
            "py" => ("python3", ["-c", PYTHON].as_slice()),
            _ => ("node", ["--input-type=module", "-e", NODE].as_slice()),
        };
        let needs = match (language, self.scheme) {
            ("py", "ed25519") => ["-c", "import cryptography"],
            _ => ["--version", "--version"],
        };
        let has = Command::new(program).args(needs).output();
        if !has.is_ok_and(|output| output.status.success()) {
            return None;
        }
        let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        let headers: serde_json::Map<_, _> = headers
            .iter()
            .map(|name| ((*name).to_owned(), json!(self.header(name))))
            .collect();
        let mut code = Command::new(program)
            .args(args)
            .arg(format!("{FOLDER}/{}.{language}", self.scheme))
            .arg(json!(headers).to_string())
            .env(self.known.0, known)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        code.stdin
            .take()
            .unwrap()
            .write_all(body.as_bytes())
            .unwrap();
        let output = code.wait_with_output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        let is_refusal = complaint.contains("no signature fits");
        assert!(
            output.status.success() || is_refusal,
            "{language}: {complaint}"
        );
        Some(output.status.success())
    }

    /// Whether the code in Rust accepts the message.
    fn accepted_in_rust(&self, known: &str, body: &str, now: i64) -> bool {
        let [id, sent] = ["webhook-id", "webhook-timestamp"].map(|name| self.header(name));
        let signatures = self.header("webhook-signature");
        let verify = match self.scheme {
            "hmac" => hmac::verify,
            _ => ed25519::verify,
        };
        verify(known, id, sent, signatures, body.as_bytes(), now)
    }

    fn is_verified_by_all(&self, other: &str) {
        let (known, body) = (self.known.1.as_str(), self.message.body.as_str());
        let now: i64 = self.header("webhook-timestamp").parse().unwrap();
        assert!(self.accepted_in_rust(known, body, now + 299));
        assert!(!self.accepted_in_rust(known, body, now + 301), "too old");
        assert!(!self.accepted_in_rust(known, &format!("{body} "), now));
        assert!(!self.accepted_in_rust(other, body, now));
        for language in ["py", "mjs"] {
            let Some(accepted) = self.accepted_by(language, known, body) else {
                eprintln!("{} in {language}: ignored, not installed here", self.scheme);
                continue;
            };
            assert!(accepted, "{} in {language}", self.scheme);
            let changed = self.accepted_by(language, known, &format!("{body} "));
            assert_eq!(changed, Some(false), "{} in {language}", self.scheme);
            let forged = self.accepted_by(language, other, body);
            assert_eq!(forged, Some(false), "{} in {language}", self.scheme);
        }
    }
}

/// Sends a test of a signed webhook, and returns the message that arrives.
async fn sent(ulf: &Visitor, receiver: &Receiver, nth: usize) -> Received {
    ulf.fill(
        "/console/webhooks/1",
        "/console/webhooks/1/test",
        &[("message", "{\"name\":\"é ${NAME}\"}"), ("name", "web-1")],
    )
    .await
    .expect(303);
    receiver.wait_for("/in", nth).await.unwrap()
}

#[tokio::test]
async fn displayed_code_verifies_signatures_through_rotation() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    let url = format!("http://{}/in", receiver.addr);
    let made = ulf
        .submit("/console/webhooks/new", &hook(&url, &[("sign", "on")]))
        .await;
    let first = made.secret().unwrap();
    let arrived = |secret: &str, message| Arrived {
        scheme: "hmac",
        known: ("WEBHOOK_SECRET", secret.to_owned()),
        message,
    };
    let other = SigningSecret::from_random([9; 32]);
    let message = sent(&ulf, &receiver, 1).await;
    arrived(&first, message).is_verified_by_all(other.expose());
    let signing = "/console/webhooks/1/signing";
    let second = ulf.submit(signing, &[]).await.secret().unwrap();
    for secret in [&first, &second] {
        let nth = if *secret == first { 2 } else { 3 };
        let message = sent(&ulf, &receiver, nth).await;
        arrived(secret, message).is_verified_by_all(other.expose());
    }
    let page = ulf.get(signing).await;
    for file in ["hmac.py", "hmac.mjs", "hmac.go", "hmac.rs"] {
        let code = std::fs::read_to_string(format!("{FOLDER}/{file}")).unwrap();
        let line = code
            .lines()
            .find(|line| line.contains("verify("))
            .unwrap_or("Verify");
        let shown = line.replace('&', "&amp;").replace('"', "&quot;");
        assert!(page.has(&shown.replace('>', "&gt;")), "{file}: {line}");
    }
    assert!(page.has("WEBHOOK_SECRET"));
    assert!(!page.has(&first) && !page.has(&second) && !page.has("whpk_"));
}

#[tokio::test]
async fn ed25519_public_key_is_shown_and_verifies() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    let url = format!("http://{}/in", receiver.addr);
    ulf.submit("/console/webhooks/new", &hook(&url, &[])).await;
    let pair = SigningKey::from_bytes(&[7; 32]);
    let secret = format!("whsk_{}", STANDARD.encode(pair.to_keypair_bytes()));
    let public = format!("whpk_{}", STANDARD.encode(pair.verifying_key().as_bytes()));
    let signing = SigningSecrets::new(vec![SigningSecret::parse(&secret).unwrap()]).unwrap();
    let edited = site.engine.edit_webhook(WebhookId(1), |webhook| {
        webhook.signing = signing.clone();
        Ok(())
    });
    edited.await.unwrap();
    let page = ulf.get("/console/webhooks/1/signing").await;
    assert!(page.has(&public) && page.has("WEBHOOK_PUBLIC_KEY"));
    assert!(!page.has(&secret), "the secret half is not shown");
    let other = SigningKey::from_bytes(&[8; 32]).verifying_key();
    let other = format!("whpk_{}", STANDARD.encode(other.as_bytes()));
    let arrived = Arrived {
        scheme: "ed25519",
        known: ("WEBHOOK_PUBLIC_KEY", public),
        message: sent(&ulf, &receiver, 1).await,
    };
    arrived.is_verified_by_all(&other);
}
