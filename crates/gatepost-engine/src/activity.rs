//! Pauses, resumes or disables a webhook: manually, or by the platform's policy. The webhook is not
//! validated: one that can no longer be sent can still be disabled.

use std::sync::Arc;

use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::WebhookRow;
use webhook_model::{Activity, WebhookId};

use crate::admission::Admission;
use crate::core::Core;
use crate::error::EngineError;
use crate::troubles::Troubles;

/// How often a change that conflicts with another is tried again.
pub(crate) const TRIES: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct Activities {
    pub core: Arc<Core>,
    pub admission: Arc<Admission>,
    pub troubles: Arc<Troubles>,
}

impl Activities {
    /// Changes it manually. For a system administrator without a tenant this counts as one of the
    /// changes allowed per minute, unless the webhook already has this activity: nothing is stored
    /// then.
    pub(crate) async fn set(
        &self,
        id: WebhookId,
        activity: Activity,
    ) -> Result<WebhookRow, EngineError> {
        let row = self.core.store.webhook(id).await?;
        let mut row = row.ok_or(EngineError::NotFound)?;
        if row.value.activity != activity {
            self.core.access.pace_change(row.owner).await?;
            let unless_it_is = |now| now != activity;
            row = self.store_activity(id, activity, unless_it_is).await?;
        }
        if activity == Activity::Active {
            self.admission.resume(id);
        }
        // Also if it was in that state already: a caller that repeats the call may not know that
        // the first one succeeded.
        self.admission.inquiries.ask(id);
        Ok(row)
    }

    /// Disables it by the platform's policy, for this reason: the owner's rate does not apply.
    /// Returns whether this call disabled it.
    pub(crate) async fn disable(
        &self,
        id: WebhookId,
        reason: &'static str,
    ) -> Result<bool, EngineError> {
        let (disabled, mut is_new) = (Activity::Disabled, false);
        // Each request in flight may ask for it, and a new revision costs every process a read.
        let unless_it_is = |now| {
            is_new = now != disabled;
            is_new
        };
        let row = self.store_activity(id, disabled, unless_it_is).await?;
        if !is_new {
            return Ok(false);
        }
        self.admission.inquiries.ask(id);
        self.troubles.disabled(&row, reason);
        Ok(true)
    }

    /// Stores nothing if `is_due` is false for the current activity.
    async fn store_activity(
        &self,
        id: WebhookId,
        activity: Activity,
        mut is_due: impl FnMut(Activity) -> bool,
    ) -> Result<WebhookRow, EngineError> {
        for _ in 0..TRIES {
            let row = self.core.store.webhook(id).await?;
            let mut row = row.ok_or(EngineError::NotFound)?;
            if !is_due(row.value.activity) {
                return Ok(row);
            }
            row.value.activity = activity;
            // It does not grow by that.
            let (store, at_most, now) = (&self.core.store, u64::MAX, self.core.clock.now()?);
            match store.update_record(row.into(), at_most, now).await {
                Err(error) if error.kind() == ErrorKind::Stale => {}
                stored => return Ok(stored?.try_into()?),
            }
        }
        Err(EngineError::Contended)
    }
}
