//! Signing secrets: every readable one signs, and the same secret (or its public half) verifies.

use chrono::DateTime;
use delivery::{SigningKey, SigningKeys, Verifier, VerifyKey};

pub(crate) fn holds(text: &str) {
    let (sign, verify) = (text.parse::<SigningKey>(), text.parse::<VerifyKey>());
    let imported = SigningKey::imported(text);
    assert!(sign.is_err() || !text.starts_with("whpk_"));
    assert!(verify.is_err() || !text.starts_with("whsk_"));
    if text.starts_with("whsec_") {
        assert_eq!(sign.is_ok(), verify.is_ok());
        assert!(imported.is_ok() || sign.is_err(), "what is new is also old");
    }
    if let Ok(sign) = sign {
        assert!(!format!("{sign:?}").contains(text));
        let keys = SigningKeys::new([sign]).unwrap();
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let signature = keys.signature("msg_1", now, b"{}");
        if let Ok(verify) = verify {
            let verifier = Verifier::new([verify]);
            let stamp = now.timestamp().to_string();
            assert!(
                verifier
                    .verify("msg_1", &stamp, &signature, b"{}", now)
                    .is_ok()
            );
            assert!(
                verifier
                    .verify("msg_2", &stamp, &signature, b"{}", now)
                    .is_err()
            );
        }
    }
}
