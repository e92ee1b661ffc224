//! What neither an error nor the disk may reveal.

use std::error::Error;

use crate::fixtures::SECRETS;

/// Panics if the error, its `Debug`, or one of its sources reveals one of these.
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

/// The secrets of a full webhook, and a confidential message.
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
