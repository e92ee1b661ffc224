//! What users do with their webhooks.

use std::time::Duration;

use gatepost_engine::Engine;
use gatepost_storage::webhooks::{Cascade, DeliveryId, DeliveryQuery, DeliveryState, Replay};
use gatepost_storage::{Clock as _, Page};
use webhook_model::{Retries, Timeout};

use super::clock::VirtualClock;
use super::ledger::Hook;
use super::script::Act;
use super::stage::Stage;

impl Stage {
    /// An act upon one webhook.
    pub(super) fn of_a_hook(&self, act: Act) {
        let (Act::Pause { process, hook }
        | Act::Resume { process, hook }
        | Act::Edit { process, hook, .. }
        | Act::Delete { process, hook }
        | Act::Replay { process, hook }
        | Act::Cancel { process, hook }
        | Act::Hasten { process, hook }) = act
        else {
            return;
        };
        let (index, hook) = self.ledger.some_hook(hook);
        let now = VirtualClock::since(self.cluster.ground.began).now();
        self.ask(process, move |engine, ledger| async move {
            match act {
                Act::Pause { .. } => drop(engine.pause_webhook(hook.id).await),
                Act::Resume { .. } => drop(engine.resume_webhook(hook.id).await),
                Act::Edit { retries, .. } if !hook.steady => {
                    let retries = u32::from(retries);
                    ledger.note(index, |hook| hook.retries = hook.retries.max(retries));
                    let edit = engine.edit_webhook(hook.id, |webhook| {
                        webhook.retries = Retries::new(retries.into())?;
                        webhook.timeout = Timeout::from_secs(u64::from(retries) + 3)?;
                        Ok(())
                    });
                    drop(edit.await);
                }
                Act::Delete { .. } if !hook.steady => {
                    ledger.note(index, |hook| hook.deleted = true);
                    drop(engine.delete_webhook(hook.id, Cascade::Tasks).await);
                }
                Act::Replay { .. } => {
                    ledger.note(index, |hook| hook.replayed = true);
                    let failed = Replay::Failed {
                        webhook: hook.id,
                        from: now - Duration::from_secs(100_000),
                        before: now,
                    };
                    drop(engine.replay(&failed).await);
                }
                Act::Cancel { .. } if !hook.steady => {
                    let waiting = waiting(&engine, &hook).await;
                    drop(engine.cancel(&waiting).await);
                }
                Act::Hasten { .. } => {
                    ledger.note(index, |hook| hook.hastened = true);
                    let waiting = waiting(&engine, &hook).await;
                    drop(engine.hasten(&waiting).await);
                }
                _ => {}
            }
        });
    }
}

/// Those that wait of a webhook.
async fn waiting(engine: &Engine, hook: &Hook) -> Vec<DeliveryId> {
    let query = DeliveryQuery {
        webhook: Some(hook.id),
        states: vec![DeliveryState::Queued],
        ..DeliveryQuery::all(Page::first(100))
    };
    let found = engine.list_deliveries(&query).await.unwrap_or_default();
    found.into_iter().map(|delivery| delivery.id).collect()
}
