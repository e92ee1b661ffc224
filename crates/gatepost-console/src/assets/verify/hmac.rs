// cargo add base64 hmac@0.13 sha2@0.11
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Whether the platform sent these bytes in the last five minutes. `now` is in seconds since 1970;
/// `secret` is the text that begins with `whsec_`.
pub fn verify(secret: &str, id: &str, sent: &str, signatures: &str, body: &[u8], now: i64) -> bool {
    let secret = STANDARD.decode(secret.trim_start_matches("whsec_"));
    let (Ok(secret), Ok(at)) = (secret, sent.parse::<i64>()) else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&secret) else {
        return false;
    };
    mac.update(format!("{id}.{sent}.").as_bytes());
    mac.update(body);
    let fits = |signature: Vec<u8>| mac.clone().verify_slice(&signature).is_ok();
    let mut given = signatures
        .split(' ')
        .filter_map(|one| one.strip_prefix("v1,"));
    now.abs_diff(at) <= 300 && given.any(|one| STANDARD.decode(one).is_ok_and(fits))
}
