use chrono::DateTime;

use super::*;

#[test]
fn debug_of_a_key_shows_no_byte_of_it() {
    let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let shown = format!("{:?}", SigningKeys::parse([text]).unwrap());
    assert!(!shown.contains("MfKQ") && shown.contains("v1"), "{shown}");
}

#[test]
fn each_key_signs_during_rotation() {
    let texts = [
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    ];
    let at = DateTime::from_timestamp(1_614_265_330, 0).unwrap();
    let both = SigningKeys::parse(texts).unwrap().signature("m", at, b"x");
    let single = texts.map(|t| SigningKeys::parse([t]).unwrap().signature("m", at, b"x"));
    assert_eq!(both, single.join(" "));
}

#[test]
fn no_keys_is_an_error_and_not_an_unsigned_delivery() {
    assert_eq!(SigningKeys::parse([]).unwrap_err(), SigningKeyError::Length);
    assert!(SigningKeys::new([]).is_none());
}
