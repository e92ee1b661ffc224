//! Actions of users on their webhooks.

use std::time::Duration;

use gatepost_engine::{Engine, Replay};
use gatepost_storage::webhooks::{Cascade, DeliveryId, DeliveryQuery, DeliveryState};
use gatepost_storage::{Clock as _, Page};
use webhook_model::{DeliveryOrder, Retries, Timeout, WebhookId};

use super::clock::VirtualClock;
use super::ledger::{Hook, Ledger};
use super::sabotage::Sabotage;
use super::script::Act;
use super::stage::Stage;
use super::switches::Switched;

impl Stage {
    /// Carries out an act on one webhook.
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
        let Some(asked) = self.cluster.process(process).map(|process| process.number) else {
            return;
        };
        let (index, hook) = self.ledger.some_hook(hook);
        let now = VirtualClock::since(self.cluster.ground.began).now();
        let sabotage = self.cluster.ground.sabotage;
        self.ask(process, move |engine, ledger| async move {
            match act {
                Act::Pause { .. } => {
                    let call = ledger.switches(asked, index, Switched::Rest, true);
                    let stored = engine.pause_webhook(hook.id).await.is_ok();
                    ledger.switched(call, stored);
                }
                Act::Resume { .. } => {
                    let call = ledger.switches(asked, index, Switched::Rest, false);
                    let stored = engine.resume_webhook(hook.id).await.is_ok();
                    ledger.switched(call, stored);
                }
                Act::Edit { retries, .. } if !hook.steady => {
                    let obeys = sabotage != Some(Sabotage::ForgetsSwitches);
                    let hook = (index, hook.id);
                    edit(&engine, &ledger, asked, hook, retries.into(), obeys).await;
                }
                Act::Delete { .. } if !hook.steady => {
                    ledger.note(index, |hook| hook.deleted = true);
                    let call = ledger.switches(asked, index, Switched::Rest, true);
                    let delete = engine.delete_webhook(hook.id, Cascade::Tasks);
                    let stored = delete.await.is_ok();
                    ledger.switched(call, stored);
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
                    let call = ledger.cancels(index, &waiting);
                    let asked = waiting.len() as u64;
                    let ended = match sabotage == Some(Sabotage::ForgetsCancels) {
                        true => Some(asked),
                        false => engine.cancel(&waiting).await.ok(),
                    };
                    if ended == Some(asked) {
                        ledger.cancelled(index, call);
                    }
                }
                Act::Hasten { .. } => {
                    ledger.note(index, |hook| hook.hastened = true);
                    let waiting = waiting(&engine, &hook).await;
                    drop(engine.retry_now(&waiting).await);
                }
                _ => {}
            }
        });
    }
}

/// Changes retries and timeout; the webhook keeps its order from now on if the retries are odd, and
/// does not otherwise.
async fn edit(
    engine: &Engine,
    ledger: &Ledger,
    asked: u64,
    (index, id): (usize, WebhookId),
    retries: u32,
    obeys: bool,
) {
    let in_order = retries % 2 == 1;
    ledger.note(index, |hook| {
        hook.retries = hook.retries.max(retries);
        hook.fewest = hook.fewest.min(retries);
    });
    let order = match in_order && obeys {
        true => DeliveryOrder::InOrder,
        false => DeliveryOrder::Unordered,
    };
    let call = ledger.switches(asked, index, Switched::Order, in_order);
    let edit = engine.edit_webhook(id, |webhook| {
        webhook.retries = Retries::new(retries.into())?;
        webhook.timeout = Timeout::from_secs(u64::from(retries) + 3)?;
        webhook.order = order;
        Ok(())
    });
    let stored = edit.await.is_ok();
    ledger.switched(call, stored);
}

/// Returns the waiting deliveries of a webhook.
async fn waiting(engine: &Engine, hook: &Hook) -> Vec<DeliveryId> {
    let query = DeliveryQuery {
        webhook: Some(hook.id),
        states: vec![DeliveryState::Queued],
        ..DeliveryQuery::all(Page::first(100))
    };
    let found = engine.list_deliveries(&query).await.unwrap_or_default();
    found.into_iter().map(|delivery| delivery.id).collect()
}
