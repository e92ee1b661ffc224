//! Walks over owners that one process at a time makes for all: it asks the platform about each.

use std::time::Duration;

use chrono::TimeDelta;
use gatepost_ids::OwnerId;
use gatepost_storage::StoreError;

use super::reconciliation::Owners;
use crate::guard::guarded;

/// Owners who are asked about before the first answer is waited for.
const HANDFUL: usize = 20;
/// The pause after a question that was answered immediately.
const AFTER_ANSWER: Duration = Duration::from_millis(10);
/// The pause after a question that must be waited for: the platform has others to answer.
const AFTER_QUESTION: Duration = Duration::from_millis(50);
/// How much longer a walk's lease lasts than one page of it.
const LEASE: TimeDelta = TimeDelta::seconds(60);
/// Owners of one page.
pub(super) const PAGE: u32 = 500;

impl Owners {
    /// Whether this process may walk, for the time that a page takes.
    pub(super) async fn may_walk(&self, name: &str) -> Result<bool, StoreError> {
        let now = self.clock.now()?;
        self.store.lease(name, self.holder, now + LEASE, now).await
    }

    /// Asks about each, and stores what differs. An owner without an answer stays unchanged, and
    /// delays only those of the same group.
    pub(super) async fn ask_about(&self, page: &[OwnerId]) -> Result<(), StoreError> {
        for handful in page.chunks(HANDFUL) {
            for owner in handful {
                let known = self.book.now(*owner).is_some();
                let pause = if known { AFTER_ANSWER } else { AFTER_QUESTION };
                self.lifecycle.rest(pause).await;
            }
            for owner in handful {
                if let Some(Ok(standing)) = self.book.landed(*owner).await {
                    self.settle(*owner, standing, true).await?;
                }
            }
            if !self.lifecycle.is_running() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Logs why a walk ended early.
    pub(super) fn give_up(what: &'static str, error: &StoreError) {
        guarded(|| tracing::warn!(what, %error, "could not compare owners with the platform"));
    }
}
