//! Credentials that webhooks show their targets, numbered so that a request shows which of them it
//! carries: a token, and the secrets that sign.

use chrono::{DateTime, Utc};
use webhook_model::{Authorization, SigningSecret};

use super::script::Shown;
use super::stage::Stage;

/// One value of a token or of the newest secret, from the edit that stores it on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// The time at which the edit was requested.
    pub began: DateTime<Utc>,
    /// The time of the answer, and whether the edit is stored for certain. `None`: it never was
    /// answered.
    pub ended: Option<(DateTime<Utc>, bool)>,
}

/// Returns the token of this number of a webhook.
pub(super) fn token(hook: usize, number: usize) -> String {
    format!("t{hook}.{number}")
}

pub(super) fn authorization(hook: usize, number: usize) -> Authorization {
    Authorization::bearer(&token(hook, number)).unwrap()
}

/// Returns the signing secret of this number of a webhook.
pub(super) fn secret(hook: usize, number: usize) -> SigningSecret {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&(hook as u64).to_be_bytes());
    bytes[8..16].copy_from_slice(&(number as u64).to_be_bytes());
    SigningSecret::from_random(bytes)
}

impl Stage {
    /// Changes a webhook's credentials. An old secret stays next to its successor.
    pub(super) fn rotate(&self, process: u8, hook: u8, shown: Shown) {
        let (index, hook) = self.ledger.some_hook(hook);
        self.ask(process, move |engine, ledger| async move {
            let number = ledger.rotates(index, shown);
            let edit = engine.edit_webhook(hook.id, |webhook| {
                match shown {
                    Shown::Token => webhook.authorization = authorization(index, number),
                    Shown::Secret => {
                        webhook.signing = webhook.signing.rotated(secret(index, number), 1);
                    }
                }
                Ok(())
            });
            let stored = edit.await.is_ok();
            ledger.rotated(index, shown, number, stored);
        });
    }
}
