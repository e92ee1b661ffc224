//! Records, deliveries and occurrences when the store is opened again.

use gatepost_storage::webhooks::{DeliveryId, Disposition};
use webhook_model::Webhook;

use super::home::Home;
use crate::fields::full_webhook;
use crate::fixtures::{SECRETS, UNLIMITED, at, claim, queued, settlement};
use crate::harness::Webhooks;
use crate::outcome::Outcome;
use crate::secrecy::{forms, hex};

/// A secret in the path of a URL.
const URL_PATH: &str = "services/canary-path-5b0c";

/// Parts of a request, in its URL's path, in its query, and in an ordinary header.
const KEPT: [&str; 3] = ["canary-path-Zq7x", "canary-query-Kv3p", "canary-room-Hj5t"];

/// The disk must not hold a secret of a webhook in plaintext, including its URL. The harness opens
/// its store with a sealing key.
pub async fn d06_secrets_lie_sealed(place: Home) -> Outcome {
    let store = place.fresh().await;
    let full = Webhook {
        url: format!("https://example.com/{URL_PATH}").parse().unwrap(),
        ..full_webhook()
    };
    let hook = store.records.insert_webhook(&full, UNLIMITED, at(0));
    let hook = hook.await.unwrap();
    store
        .records
        .update_webhook(&hook, UNLIMITED, at(1))
        .await
        .unwrap();
    let Some(dump) = place.dump(&store).await else {
        return Outcome::Ignored("the harness shows no dump");
    };
    // The beginning of the webhook's name.
    assert!(
        find(&dump, "naïve".as_bytes()),
        "D6 the dump holds what was stored"
    );
    for secret in SECRETS.into_iter().chain([URL_PATH]) {
        let forms = [
            secret.as_bytes().to_vec(),
            hex(secret.as_bytes()).into_bytes(),
        ];
        let found = forms.iter().any(|form| find(&dump, form));
        assert!(!found, "D6 {}…", &secret[..12]);
    }
    Outcome::Held
}

/// The disk must not hold in plaintext the request and response of an attempt: the URL and the
/// headers, and what a target repeats of them. Every read must return the same, also when the store
/// is opened again. The harness opens its store with a sealing key.
pub async fn d11_attempts_lie_sealed(place: Home) -> Outcome {
    let store = place.fresh().await;
    let hook = queued(&store, &["message-of-d11"]).await;
    let claimed = claim(&store, hook, 0).await;
    let delivery = claimed[0].delivery.id;
    let mut sent = settlement(&claimed[0], Disposition::Failed);
    let kept = sent.attempt.as_mut().unwrap();
    let [url, query, header] = KEPT;
    let request = format!("POST https://a.example/{url}?k={query}\r\nX-Room: {header}\r\n");
    kept.response_head = format!("location: /{url}\r\nx-room: {header}").into_bytes();
    kept.response_body = request.clone().into_bytes();
    kept.request_head = request.into_bytes();
    let parts = [
        kept.request_head.clone(),
        kept.response_head.clone(),
        kept.response_body.clone(),
    ];
    store.queue.settle(vec![sent], at(1)).await.unwrap();
    assert_eq!(parts_of(&store, delivery).await, parts, "D11 as it was");
    let Some(dump) = place.dump(&store).await else {
        return Outcome::Ignored("the harness shows no dump");
    };
    let stored = find(&dump, b"message-of-d11");
    assert!(stored, "D11 the dump holds what was stored");
    for text in KEPT {
        let found = forms(text.as_bytes()).iter().any(|form| find(&dump, form));
        assert!(!found, "D11 {text}");
    }
    if let Some(store) = place.reopen(store).await {
        assert_eq!(parts_of(&store, delivery).await, parts, "D11 opened again");
    }
    Outcome::Held
}

async fn parts_of(store: &Webhooks, delivery: DeliveryId) -> [Vec<u8>; 3] {
    let attempts = store.log.attempts(delivery, 9).await.unwrap();
    assert_eq!(attempts.len(), 1, "D11 one attempt");
    assert!(attempts[0].kept, "D11 kept");
    [
        attempts[0].request_head.clone(),
        attempts[0].response_head.clone(),
        attempts[0].response_body.clone(),
    ]
}

fn find(dump: &[u8], text: &[u8]) -> bool {
    dump.windows(text.len()).any(|window| window == text)
}
