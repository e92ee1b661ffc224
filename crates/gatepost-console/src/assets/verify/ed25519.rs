// cargo add base64 ed25519-dalek
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ed25519_dalek::{Signature, VerifyingKey};

/// Whether the platform sent these bytes in the last five minutes. `now` is in seconds since 1970;
/// `public_key` is the text that begins with `whpk_`.
pub fn verify(
    public_key: &str,
    id: &str,
    sent: &str,
    signatures: &str,
    body: &[u8],
    now: i64,
) -> bool {
    let key = STANDARD.decode(public_key.trim_start_matches("whpk_"));
    let key = key
        .ok()
        .and_then(|key| VerifyingKey::try_from(&key[..]).ok());
    let (Some(key), Ok(at)) = (key, sent.parse::<i64>()) else {
        return false;
    };
    let signed = [format!("{id}.{sent}.").as_bytes(), body].concat();
    let fits = |signature: Vec<u8>| {
        let signature = Signature::from_slice(&signature);
        signature.is_ok_and(|signature| key.verify_strict(&signed, &signature).is_ok())
    };
    let mut given = signatures
        .split(' ')
        .filter_map(|one| one.strip_prefix("v1a,"));
    now.abs_diff(at) <= 300 && given.any(|one| STANDARD.decode(one).is_ok_and(fits))
}
