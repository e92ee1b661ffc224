//! The stored form of a key: schemes, peppers, their rotation, an older system's digests.

use apikey_core::{
    Digest, DigestMatch, DigestScheme, ImportedScheme, KeyRefusal, LookupId, Pepper, PepperError,
    PepperId, Peppers, PresentedKey, reject_unknown, verify_key,
};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};

use crate::common::{draft, key, now, pepper};

const MATCH: DigestMatch = DigestMatch::Match {
    needs_rehash: false,
};
const OLD: DigestMatch = DigestMatch::Match { needs_rehash: true };

/// A token in the form of another system.
const TOKEN: &str = "sk-old-0123456789abcdef0123456789abcdef";

#[test]
fn digest_is_hmac_sha256_of_id_and_secret() {
    let key = key("acme_live", 1);
    let id_secret = &key.as_str()["acme_live_".len()..][..50];
    let mut hmac = Hmac::<Sha256>::new_from_slice(&[3; 32]).unwrap();
    hmac.update(id_secret.as_bytes());
    let expected: [u8; 32] = hmac.finalize().into_bytes().into();
    let digest = Peppers::new(pepper(3)).digest(&key.presented());
    assert_eq!(digest.scheme.to_string(), "hmac-sha256:3");
    assert_eq!(digest.bytes, expected);
}

#[test]
fn digest_without_pepper_is_plain_sha256() {
    let key = key("acme_live", 1);
    let id_secret = &key.as_str()["acme_live_".len()..][..50];
    let digest = Peppers::none().digest(&key.presented());
    assert_eq!(digest.scheme, DigestScheme::Sha256);
    assert_eq!(digest.bytes, <[u8; 32]>::from(Sha256::digest(id_secret)));
}

#[test]
fn only_the_key_itself_matches_its_digest() {
    for peppers in [Peppers::none(), Peppers::new(pepper(1))] {
        let stored = peppers.digest(&key("gp", 1).presented());
        assert_eq!(peppers.verify(&key("gp", 1).presented(), &stored), MATCH);
        assert_eq!(
            peppers.verify(&key("gp", 2).presented(), &stored),
            DigestMatch::Mismatch
        );
    }
}

#[test]
fn the_prefix_is_no_part_of_the_digest() {
    // The generator draws the same id and secret for both.
    let stored = Peppers::none().digest(&key("old_name", 1).presented());
    assert_eq!(
        Peppers::none().verify(&key("new_name", 1).presented(), &stored),
        MATCH
    );
}

#[test]
fn peppers_rotate_by_way_of_a_rehash() {
    let key = key("gp", 1);
    let presented = key.presented();
    let plain = Peppers::none().digest(&presented);
    let first = Peppers::new(pepper(1)).digest(&presented);

    let rotated = Peppers::new(pepper(2)).with_old(pepper(1)).unwrap();
    assert_eq!(rotated.verify(&presented, &plain), OLD);
    assert_eq!(rotated.verify(&presented, &first), OLD);
    let fresh = rotated.digest(&presented);
    assert_eq!(fresh.scheme.to_string(), "hmac-sha256:2");
    assert_eq!(rotated.verify(&presented, &fresh), MATCH);

    // A wrong key is a mismatch under the old pepper too.
    assert_eq!(
        rotated.verify(&crate::common::key("gp", 2).presented(), &first),
        DigestMatch::Mismatch
    );
}

#[test]
fn unconfigured_pepper_is_distinct_from_wrong_key() {
    let key = key("gp", 1);
    let stored = Peppers::new(pepper(1)).digest(&key.presented());
    for without in [Peppers::none(), Peppers::new(pepper(2))] {
        assert_eq!(
            without.verify(&key.presented(), &stored),
            DigestMatch::UnknownPepper
        );
    }
    let leaving = Peppers::none().with_old(pepper(1)).unwrap();
    assert_eq!(leaving.verify(&key.presented(), &stored), OLD);
}

#[test]
fn same_pepper_id_with_other_secret_is_mismatch() {
    let key = key("gp", 1);
    let stored = Peppers::new(pepper(1)).digest(&key.presented());
    let other = Pepper::new(PepperId(1), &[9; 32]).unwrap();
    assert_eq!(
        Peppers::new(other).verify(&key.presented(), &stored),
        DigestMatch::Mismatch
    );
}

#[test]
fn weak_and_ambiguous_peppers_are_refused() {
    let short = Pepper::new(PepperId(4), &[0; 31]).unwrap_err();
    assert_eq!(short, PepperError::TooShort(PepperId(4)));
    let twice = Peppers::new(pepper(1)).with_old(pepper(1)).unwrap_err();
    assert_eq!(twice, PepperError::Duplicate(PepperId(1)));
    let twice = Peppers::none()
        .with_old(pepper(1))
        .unwrap()
        .with_old(pepper(1));
    assert_eq!(twice.unwrap_err(), PepperError::Duplicate(PepperId(1)));
}

#[test]
fn imported_key_verifies_by_its_original_token() {
    let sha256: [u8; 32] = Sha256::digest(TOKEN).into();
    let masked = "sk-old-0123…".parse().unwrap();
    let record = draft().import_sha256(sha256, masked, now(), now()).unwrap();
    assert_eq!(record.digest.scheme.to_string(), "imported-sha256");

    assert!(PresentedKey::parse(TOKEN).is_err());
    let presented = PresentedKey::imported(TOKEN).unwrap();
    assert_eq!(presented.lookup(), record.lookup);
    assert_eq!(presented.lookup(), LookupId::of_imported(&sha256));
    let peppers = Peppers::new(pepper(1));
    let addr = "192.0.2.1".parse().unwrap();
    let open =
        |key: &PresentedKey<'_>| verify_key(&record.checker().unwrap(), key, addr, now(), &peppers);
    assert!(!open(&presented).unwrap().needs_rehash);
    let wrong = TOKEN.replace("old", "olD");
    let wrong = PresentedKey::imported(&wrong).unwrap();
    assert_ne!(wrong.lookup(), record.lookup);
    assert_eq!(open(&wrong), Err(KeyRefusal::WrongSecret));
    assert_eq!(peppers.digest(&presented), record.digest);
}

#[test]
fn imported_token_in_native_format_is_compared_whole() {
    let key = key("gp", 1);
    let sha256 = Sha256::digest(key.as_str()).into();
    let scheme = DigestScheme::Imported(ImportedScheme::Sha256);
    let verdict = Peppers::none().verify(&key.presented(), &Digest::new(scheme, sha256));
    assert_eq!(verdict, MATCH);
}

#[test]
fn imported_token_never_matches_native_digest() {
    let presented = PresentedKey::imported(TOKEN).unwrap();
    let peppers = Peppers::new(pepper(1)).with_old(pepper(2)).unwrap();
    // The same holds if a stored digest is that of the empty stand-in which is hashed to spend the
    // time.
    let zeros: [u8; 32] = Sha256::digest([0; 50]).into();
    for scheme in ["sha256", "hmac-sha256:1", "hmac-sha256:2"] {
        let stored = Digest::new(scheme.parse().unwrap(), zeros);
        assert_eq!(
            peppers.verify(&presented, &stored),
            DigestMatch::Mismatch,
            "{scheme}"
        );
    }
}

#[test]
fn an_unknown_id_is_always_unknown() {
    for peppers in [Peppers::none(), Peppers::new(pepper(1))] {
        assert_eq!(
            reject_unknown(&key("gp", 1).presented(), &peppers),
            KeyRefusal::Unknown
        );
        let imported = PresentedKey::imported(TOKEN).unwrap();
        assert_eq!(reject_unknown(&imported, &peppers), KeyRefusal::Unknown);
    }
}
