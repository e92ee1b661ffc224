//! Sending notices about keys to the platform's observer.

use std::sync::Arc;

use gatepost_storage::keys::KeyRow;

use crate::observer::{KeyNotice, KeyNoticeKind, KeyObserver};
use crate::platform_calls::{Silence, guarded};

/// The platform's observer, if there is one.
#[derive(Debug)]
pub(super) struct Teller {
    pub(super) observer: Option<Arc<dyn KeyObserver>>,
}

impl Teller {
    /// Sends a notice. Returns `false` if the observer refused it.
    pub(super) async fn tell(&self, row: &KeyRow, news: KeyNoticeKind) -> bool {
        let Some(observer) = &self.observer else {
            return true;
        };
        let notice = KeyNotice::new(row, news);
        let asked = Box::pin(async move { observer.notice(notice).await });
        let error = match guarded(asked).await {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(Silence::Panicked) => "the observer panicked".to_owned(),
            Err(Silence::TooLate) => "the observer did not return within 5 seconds".to_owned(),
        };
        tracing::warn!(key = row.id.0, error, "a notice of a key was not passed on");
        false
    }
}
