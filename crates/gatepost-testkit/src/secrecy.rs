//! What must not be told, by an error or by what lies on the disk.

use std::error::Error;

use crate::fixtures::SECRETS;

/// Panics if the error, its `Debug`, or what lies beneath it tells one of these.
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
        assert!(!told, "{id} an error tells a secret");
    }
}

/// The secrets of a full webhook and a message that is nobody's business.
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
