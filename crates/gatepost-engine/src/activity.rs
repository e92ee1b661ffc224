//! A webhook is paused, resumed or disabled: by hand, or by the engine where the platform asked
//! for that. It is not checked otherwise: what can no longer be sent can still be disabled.

use std::sync::Arc;

use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{AtMost, ErrorKind, Row, StoreError};
use webhook_model::{Activity, Webhook, WebhookId};

use crate::admission::Admission;
use crate::clock::EngineClock;
use crate::edit::TRIES;
use crate::error::EngineError;

#[derive(Clone, Debug)]
pub(crate) struct Activities {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub admission: Arc<Admission>,
}

impl Activities {
    pub(crate) async fn set(
        &self,
        id: WebhookId,
        activity: Activity,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        let row = self.store_activity(id, activity).await?;
        if activity == Activity::Active {
            self.admission.lanes.resumed(id);
        }
        Ok(row)
    }

    async fn store_activity(
        &self,
        id: WebhookId,
        activity: Activity,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        for _ in 0..TRIES {
            let row = self.store.webhook(id).await?;
            let mut row = row.ok_or(EngineError::NotFound)?;
            row.value.activity = activity;
            // It does not grow by that.
            let (at_most, now) = (AtMost::UNLIMITED, self.clock.now()?);
            match self.store.update_webhook(&row, at_most, now).await {
                Err(error) if error.kind() == ErrorKind::Stale => {}
                other => return Ok(other?),
            }
        }
        let kind = ErrorKind::Unavailable;
        Err(StoreError::new(kind, "the row is being edited by others").into())
    }
}
