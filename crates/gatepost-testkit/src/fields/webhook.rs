//! The fields of a webhook.

use chrono::TimeDelta;
use gatepost_ids::OwnerId;
use gatepost_storage::{Revision, Row};
use webhook_model::{
    Activity, Authorization, ClientIdentity, DeliveryMode, DeliveryOrder, Headers, RateLimit,
    Retries, SigningSecret, SigningSecrets, Timeout, Webhook, WebhookId,
};

use super::field::{Field, fields};
use crate::fixtures::{SECRETS, at, authorizations};

/// Returns a webhook that differs from a new one in every part.
#[must_use]
pub fn full_webhook() -> Webhook {
    let pairs = [
        ("X-Second", "b"),
        ("X-First", "a b; {c}"),
        ("x-second", ""),
        ("X-Api-Key", SECRETS[1]),
        ("Cookie", SECRETS[3]),
    ];
    let signing = ["whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", SECRETS[2]];
    let signing = signing.map(|s| SigningSecret::parse(s).unwrap()).to_vec();
    Webhook {
        owner: OwnerId(7),
        name: "naïve \"name\" \\ % _ 😀".parse().unwrap(),
        url: "https://user-agent.example:8443/p?q=%20&r=é"
            .parse()
            .unwrap(),
        authorization: Authorization::bearer(SECRETS[0]).unwrap(),
        client_identity: Some(client_identity()),
        headers: Headers::from_pairs(pairs).unwrap(),
        allow_insecure: true,
        timeout: Timeout::MAX,
        retries: Retries::new(9).unwrap(),
        activity: Activity::Disabled,
        mode: DeliveryMode::Fetch,
        order: DeliveryOrder::InOrder,
        signing: SigningSecrets::new(signing).unwrap(),
        rate: Some(RateLimit::per_second(12).unwrap()),
        retry_schedule: Some("5s, 90s, 1d".parse().unwrap()),
        channels: "Project-7, a.b_c".parse().unwrap(),
    }
}

/// Returns every field of a row of webhooks.
#[must_use]
pub fn of_webhook(base: &Row<WebhookId, Webhook>) -> Vec<Field<Row<WebhookId, Webhook>>> {
    let full = full_webhook();
    let [_, api_key, basic, oauth2] = authorizations();
    let headers = |pairs: [(&str, &str); 2]| Headers::from_pairs(pairs).unwrap();
    let secret = |fill| SigningSecret::from_random([fill; 32]);
    let signed = |secrets: &[SigningSecret]| SigningSecrets::new(secrets.to_vec()).unwrap();
    fields! { base.clone(), row =>
        row, Row {
            id: Shown [WebhookId(7_001), WebhookId(7_002)],
            owner: Own [OwnerId(7_001), OwnerId(7_002)],
            revision: Shown [Revision(7_001), Revision(7_002)],
            created: Own [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            modified: Own [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            value: Own [],
        };
        row.value, Webhook {
            owner: Kept [OwnerId(7_001), OwnerId(7_002)],
            name: Edited [full.name.clone(), "other name".parse().unwrap()],
            url: Edited [full.url.clone(), "https://user-agent.example:8443/p".parse().unwrap()],
            authorization: Edited [
                Authorization::bearer("one").unwrap(),
                Authorization::bearer("two").unwrap(),
                api_key,
                basic,
                oauth2,
            ],
            client_identity: Edited [full.client_identity.clone(), other_identity()],
            headers: Edited [
                full.headers,
                headers([("X-A", "1"), ("X-B", "2")]),
                headers([("X-B", "2"), ("X-A", "1")]),
            ],
            allow_insecure: Edited [true, false],
            timeout: Edited [Timeout::from_secs(60).unwrap(), Timeout::from_secs(61).unwrap()],
            retries: Edited [Retries::new(98).unwrap(), Retries::new(99).unwrap()],
            retry_schedule: Edited [Some("5s, 90s".parse().unwrap()), Some("5s, 91s".parse().unwrap())],
            activity: Edited [Activity::Disabled, Activity::Paused],
            mode: Edited [DeliveryMode::Fetch, DeliveryMode::Push],
            order: Edited [DeliveryOrder::InOrder, DeliveryOrder::Unordered],
            signing: Edited [
                signed(&[secret(1), secret(2)]),
                signed(&[secret(2), secret(1)]),
                signed(&[secret(1)]),
            ],
            rate: Edited [
                Some(RateLimit::per_second(12).unwrap()),
                Some(RateLimit::per_second(13).unwrap()),
            ],
            channels: Edited ["Project-7, a".parse().unwrap(), "project-7, a".parse().unwrap()],
        };
    }
}

/// Returns an identity with the same key and another certificate.
fn other_identity() -> Option<ClientIdentity> {
    let known = full_webhook().client_identity?;
    let certificate = known.certificate().replace("MII", "MIJ");
    ClientIdentity::new(&certificate, known.key().expose()).ok()
}

/// Returns a client certificate and its key, valid only in form: nothing can be sent with them.
fn client_identity() -> ClientIdentity {
    let block = |label: &str, body: &str| {
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    };
    let chain = block("CERTIFICATE", "MIIBfirst") + &block("CERTIFICATE", "MIIBsecond");
    let key = block("EC PARAMETERS", "BggqhkjOPQMBBw==") + &block("EC PRIVATE KEY", SECRETS[4]);
    ClientIdentity::new(&chain, &key).unwrap()
}
