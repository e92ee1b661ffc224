//! Secrets that neither an error nor the disk may reveal.

use std::error::Error;

use crate::fixtures::SECRETS;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Panics if the error, its `Debug`, or one of its sources contains one of these secrets.
pub(crate) fn tells_nothing(id: &str, error: &(dyn Error + 'static), secrets: &[Vec<u8>]) {
    let mut text = format!("{error:?}");
    let mut next = Some(error);
    while let Some(error) = next {
        text.push_str(&error.to_string());
        next = error.source();
    }
    for secret in secrets {
        let plain = String::from_utf8_lossy(secret).into_owned();
        let told = text.contains(&plain) || text.to_lowercase().contains(&hex(secret));
        assert!(!told, "{id} an error reveals a secret");
    }
}

/// Returns the secrets of a full webhook, and a confidential message.
pub(crate) fn of_a_webhook() -> Vec<Vec<u8>> {
    let secrets = SECRETS.map(|s| s.as_bytes().to_vec());
    secrets
        .into_iter()
        .chain([b"canary-message-5e5e".to_vec()])
        .collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Returns the bytes as they are, in hexadecimal digits, and in base64 at any position in a text.
pub(crate) fn forms(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = vec![bytes.to_vec(), hex(bytes).into_bytes()];
    for before in 0..3 {
        let encoded = base64(&[&vec![0; before], bytes].concat());
        // Its outer letters depend on the text around it.
        let begin = if before == 0 { 0 } else { 4 };
        let end = encoded.len() - encoded.len() % 4;
        forms.push(encoded[begin..end].to_vec());
    }
    forms
}

/// RFC 4648 section 4, without padding.
fn base64(bytes: &[u8]) -> Vec<u8> {
    let letters = bytes.chunks(3).flat_map(|three| {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let number = byte(0) << 16 | byte(1) << 8 | byte(2);
        let letter = move |at: usize| LETTERS[(number >> (18 - 6 * at) & 63) as usize];
        (0..=three.len()).map(letter)
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_found_wherever_the_text_begins() {
        assert_eq!(base64(b"foobar"), b"Zm9vYmFy");
        assert_eq!(base64(b"fooba"), b"Zm9vYmE");
        for before in ["", "x", "xy", "xyz"] {
            let text = base64(format!("{before}canary-path-Zq7x and more").as_bytes());
            let found = |form: &Vec<u8>| text.windows(form.len()).any(|part| part == form);
            assert!(forms(b"canary-path-Zq7x").iter().any(found), "{before}");
        }
    }
}
