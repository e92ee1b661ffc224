//! Signatures compared with the vectors of the Standard Webhooks libraries, in both directions.

use chrono::DateTime;
use delivery::{SigningKey, SigningKeys, Verifier};
use serde_json::Value;

fn rows(kind: &str) -> Vec<Value> {
    let rows: Vec<Value> = include_str!("../vectors/stdwebhooks/vectors.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|row: &Value| row["kind"] == kind)
        .collect();
    assert!(!rows.is_empty());
    rows
}

fn payload(row: &Value) -> Vec<u8> {
    match row["payload_hex"].as_str() {
        Some(hex) => (0..hex.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
            .collect(),
        None => row["payload"].as_str().unwrap().as_bytes().to_vec(),
    }
}

#[test]
fn we_sign_as_the_other_libraries_do() {
    for row in rows("sign") {
        let secret = row["secret"].as_str().unwrap();
        // One vector has a secret of 23 bytes: shorter than a new one may be, so it counts as
        // imported.
        let key = secret
            .parse()
            .or_else(|_| SigningKey::imported(secret))
            .unwrap();
        let at = DateTime::from_timestamp(row["timestamp"].as_i64().unwrap(), 0).unwrap();
        let signature = SigningKeys::new([key]).unwrap().signature(
            row["id"].as_str().unwrap(),
            at,
            &payload(&row),
        );
        assert_eq!(signature, row["signature"].as_str().unwrap(), "{row}");
    }
}

#[test]
fn receiver_verification_matches_standard_webhooks_vectors() {
    for row in rows("verify") {
        let verifier = Verifier::new([row["secret"].as_str().unwrap().parse().unwrap()]);
        let header = |name: &str| row["headers"][name].as_str().unwrap_or_default();
        let now = DateTime::from_timestamp(row["now"].as_i64().unwrap(), 0).unwrap();
        let verdict = verifier.verify(
            header("webhook-id"),
            header("webhook-timestamp"),
            header("webhook-signature"),
            &payload(&row),
            now,
        );
        assert_eq!(
            verdict.is_ok(),
            row["valid"].as_bool().unwrap(),
            "{}: {verdict:?}",
            row["note"]
        );
    }
}

#[test]
fn only_well_formed_secrets_become_keys() {
    for row in rows("secret") {
        let parsed = row["secret"].as_str().unwrap().parse::<SigningKey>();
        assert_eq!(
            parsed.is_ok(),
            row["valid"].as_bool().unwrap(),
            "{}: {parsed:?}",
            row["note"]
        );
    }
}

#[test]
fn signatures_of_both_schemes_verify_and_detect_changes() {
    let keys = SigningKeys::parse([
        "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==",
        "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    ])
    .unwrap();
    let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
    let body = b"{\"a\":1}";
    let signature = keys.signature("msg_1", now, body);
    for key in [
        "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=",
        "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    ] {
        let verifier = Verifier::new([key.parse().unwrap()]);
        let accepts = |body: &[u8]| {
            verifier
                .verify("msg_1", "1800000000", &signature, body, now)
                .is_ok()
        };
        assert!(accepts(body));
        for at in 0..body.len() {
            let mut changed = body.to_vec();
            changed[at] ^= 1;
            assert!(!accepts(&changed), "{key} byte {at}");
        }
    }
    assert!(
        Verifier::new([])
            .verify("msg_1", "1800000000", &signature, body, now)
            .is_err()
    );
}
