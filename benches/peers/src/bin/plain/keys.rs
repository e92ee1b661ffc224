//! A key from a header, checked against its stored form.

use std::hint::black_box;

use api_keys_simplified::{ApiKeyManagerV0, Environment, ExposeSecret, KeyStatus, SecureString};
use apikey_core::{
    IpPolicy, KeyDraft, OwnerId, Pepper, PepperId, Peppers, Prefix, PresentedKey, verify_key,
};
use prefixed_api_key::{PrefixedApiKey, PrefixedApiKeyController};

use crate::table::Contender;

pub(crate) fn contenders() -> Vec<Contender> {
    vec![ours(), prefixed(), simplified()]
}

fn ours() -> Contender {
    let peppers = Peppers::new(Pepper::new(PepperId(1), &[7; 32]).unwrap());
    let now = chrono::Utc::now();
    let mut draft = KeyDraft::new(OwnerId(1), "k".parse().unwrap());
    let allow: Vec<String> = (0..10).map(|n| format!("10.0.{n}.0/24")).collect();
    draft.ip = IpPolicy {
        allow: allow.join(",").parse().unwrap(),
        deny: "".parse().unwrap(),
    };
    let issued = draft.issue(&Prefix::default(), &peppers, &mut rand::rng(), now);
    let (record, reveal) = issued.unwrap().into_parts();
    let text = reveal.reveal().as_str().to_owned();
    let checker = record.checker().unwrap();
    let addr = "10.0.0.7".parse().unwrap();
    Contender {
        package: "apikey-core",
        does: "parse, checksum, HMAC-SHA-256 with a pepper, expiry, ten address ranges",
        call: Box::new(move || {
            let key = PresentedKey::parse(black_box(&text)).unwrap();
            let accepted = verify_key(&checker, &key, addr, now, &peppers).unwrap();
            usize::from(accepted.needs_rehash)
        }),
    }
}

fn prefixed() -> Contender {
    let controller = PrefixedApiKeyController::configure()
        .prefix("gp".to_owned())
        .seam_defaults()
        .finalize()
        .unwrap();
    let (key, hash) = controller.try_generate_key_and_hash().unwrap();
    let text = key.to_string();
    Contender {
        package: "prefixed-api-key",
        does: "parse, SHA-256, compare",
        call: Box::new(move || {
            let key = PrefixedApiKey::from_string(black_box(&text)).unwrap();
            assert!(controller.check_hash(&key, &hash));
            1
        }),
    }
}

fn simplified() -> Contender {
    let manager = ApiKeyManagerV0::init_default_config("gp").unwrap();
    let key = manager.generate(Environment::production()).unwrap();
    let hash = key.expose_hash().hash().to_owned();
    let text = key.key().expose_secret().to_owned();
    Contender {
        package: "api-keys-simplified",
        does: "parse, checksum, Argon2id, expiry",
        call: Box::new(move || {
            let key = SecureString::from(black_box(&text).clone());
            let status = manager.verify(&key, &hash).unwrap();
            assert!(matches!(status, KeyStatus::Valid));
            1
        }),
    }
}
