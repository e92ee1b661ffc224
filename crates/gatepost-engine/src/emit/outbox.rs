//! Occurrences that a host wrote in its own transaction: each is fanned out once.

use std::sync::Arc;

use gatepost_storage::webhooks::{Origin, OutboxId};
use webhook_model::Occurrence;

use super::What;
use crate::engine::Inner;
use crate::error::EmitError;

/// Rows read at a time.
const AT_ONCE: u32 = 100;

/// An occurrence with an id happens once, however often it was written into the outbox.
fn source(row: OutboxId, occurrence: &Occurrence) -> Origin {
    let occurrence = occurrence.id.clone();
    Origin::Outbox { row, occurrence }
}

impl Inner {
    /// Fans out what waits; answers how many rows were used up or set aside.
    pub(crate) async fn drain_outbox(self: &Arc<Self>) -> Result<usize, EmitError> {
        let rows = self.store.outbox(AT_ONCE).await?;
        let mut done = 0;
        let mut failed = None;
        for row in rows {
            let reason = match row.occurrence {
                Err(unreadable) => unreadable.to_string(),
                Ok(occurrence) => match self
                    .emit(&occurrence, What::Matching, source(row.id, &occurrence))
                    .await
                {
                    Ok(_) => {
                        done += 1;
                        continue;
                    }
                    // What the host can mend is set aside with the reason; what time or a repair of
                    // the store mends waits, and lets the others pass.
                    Err(error @ (EmitError::TooLarge { .. } | EmitError::Render { .. })) => {
                        error.to_string()
                    }
                    Err(EmitError::Store(error)) if !error.is_transient() => {
                        tracing::error!(row = row.id.0, %error, "an occurrence waits in the outbox");
                        failed.get_or_insert(EmitError::Store(error));
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            tracing::warn!(
                row = row.id.0,
                reason,
                "an occurrence in the outbox cannot be used"
            );
            self.store
                .reject_outbox(row.id, &reason, self.now())
                .await?;
            done += 1;
        }
        match failed {
            Some(error) if done == 0 => Err(error),
            _ => Ok(done),
        }
    }
}
