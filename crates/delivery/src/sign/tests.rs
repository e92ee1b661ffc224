use chrono::DateTime;

use super::*;

#[test]
fn signing_key_debug_output_shows_no_key_bytes() {
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
fn empty_signing_key_list_is_an_error() {
    assert_eq!(SigningKeys::parse([]).unwrap_err(), SigningKeyError::Length);
    assert!(SigningKeys::new([]).is_none());
}
