//! Wycheproof: tags and signatures of others, good and bad.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::VerifyKey;

fn hex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap())
        .collect()
}

fn groups(file: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(file).unwrap();
    file["testGroups"].as_array().unwrap().clone()
}

#[test]
fn hmac_verification_matches_wycheproof_and_refuses_truncated_tags() {
    let (mut whole, mut truncated) = (0, 0);
    for group in groups(include_str!(
        "../../tests/vectors/wycheproof/hmac_sha256_test.json"
    )) {
        for test in group["tests"].as_array().unwrap() {
            let secret = format!("whsec_{}", STANDARD.encode(hex(&test["key"])));
            let Ok(key) = secret.parse::<VerifyKey>() else {
                continue;
            }; // shorter than a secret may be
            let given = format!("v1,{}", STANDARD.encode(hex(&test["tag"])));
            let accepted = key.accepts(&given, &hex(&test["msg"]));
            if group["tagSize"] == 256 {
                whole += 1;
                assert_eq!(accepted, test["result"] == "valid", "{}", test["tcId"]);
            } else {
                truncated += 1;
                assert!(!accepted, "{}", test["tcId"]);
            }
        }
    }
    assert!(whole >= 50 && truncated >= 50, "{whole} {truncated}");
}

#[test]
fn ed25519_verification_matches_wycheproof() {
    let mut valid = 0;
    for group in groups(include_str!(
        "../../tests/vectors/wycheproof/ed25519_test.json"
    )) {
        let public = format!("whpk_{}", STANDARD.encode(hex(&group["publicKey"]["pk"])));
        let Ok(key) = public.parse::<VerifyKey>() else {
            assert!(
                group["tests"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|t| t["result"] == "invalid")
            );
            continue;
        };
        for test in group["tests"].as_array().unwrap() {
            let given = format!("v1a,{}", STANDARD.encode(hex(&test["sig"])));
            let accepted = key.accepts(&given, &hex(&test["msg"]));
            assert_eq!(
                accepted,
                test["result"] == "valid",
                "{} {}",
                test["tcId"],
                test["comment"]
            );
            valid += usize::from(accepted);
        }
    }
    assert!(valid >= 50, "{valid}");
}
