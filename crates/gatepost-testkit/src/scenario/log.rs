//! Steps on a delivery log.

use gatepost_storage::webhooks::*;

use super::names::joined;
use super::play::{Answer, ODD, Play};
use super::step::{Step, parsed, seconds};
use crate::fixtures::{at, keep_all, purge};

impl Play {
    pub(super) async fn on_log(&mut self, step: &Step<'_>) -> Answer {
        let (log, now) = (self.store.log.clone(), at(self.now));
        let ids = || -> Vec<_> {
            step.words
                .iter()
                .map(|name| self.deliveries.id(name))
                .collect()
        };
        Ok(match step.verb {
            "show" => {
                let row = log.delivery(self.deliveries.id(step.word(0))).await?;
                let shown = |row| {
                    joined(
                        step.words
                            .iter()
                            .skip(1)
                            .map(|field| self.field(row, field)),
                    )
                };
                row.as_ref().map_or("none".to_owned(), shown)
            }
            "attempts" => {
                let last = step.number_of("last", 99);
                let made = log.attempts(self.deliveries.id(step.word(0)), last).await?;
                joined(made.iter().map(|attempt| match step.word(1) {
                    "kept" => format!("{}:{}", attempt.number, attempt.kept),
                    _ => attempt.number.to_string(),
                }))
            }
            "look" => {
                let mut seen = String::new();
                for id in self.deliveries.ids() {
                    let row = log.delivery(id).await?;
                    let attempts = log.attempts(id, 99).await?;
                    seen += &format!("{row:?} {attempts:?}");
                }
                self.look(seen)
            }
            "replay" => log.replay(&ids(), now).await?.to_string(),
            "cancel" => {
                let reason = step.option("reason").unwrap_or("cancelled");
                log.cancel(&ids(), reason, now).await?.to_string()
            }
            "hasten" => log.hasten(&ids(), now).await?.to_string(),
            "forget" => {
                log.delete_delivery(self.deliveries.id(step.word(0)), now)
                    .await?;
                "forgotten".to_owned()
            }
            "expire" => {
                let (before, limit) = (at(step.number_of("before", 0)), step.number_of("limit", 9));
                log.expire_held(before, limit, now).await?.to_string()
            }
            "purge" => {
                let old = |key, kept| step.time(key).unwrap_or(kept);
                let kept = keep_all();
                let keep = PurgeBounds {
                    created_before: old("created", kept.created_before),
                    bytes: step.option("bytes").map(parsed),
                    counts_before: old("counts", kept.counts_before),
                    occurrences_before: old("occurrences", kept.occurrences_before),
                };
                purge(&self.store, &keep, self.now).await;
                String::new()
            }
            "deliveries" => {
                let states = step
                    .option("state")
                    .into_iter()
                    .flat_map(|states| states.split(','));
                let query = DeliveryQuery {
                    scope: step.scope(),
                    webhook: step.option("webhook").map(|name| self.webhook(name)),
                    task: step.option("task").map(|name| self.task(name)),
                    states: states.filter_map(DeliveryState::from_word).collect(),
                    class: step.option("class").map(str::to_owned),
                    created_from: step.time("from"),
                    created_before: step.time("before"),
                    page: step.page(|name| self.deliveries.id(name)),
                };
                let rows = log.list_deliveries(&query).await?;
                joined(rows.iter().map(|row| &row.message_id))
            }
            verb => panic!("there is no step {verb}"),
        })
    }

    fn field(&self, row: &Delivery, field: &str) -> String {
        match field {
            "state" => row.state.as_str().to_owned(),
            "due" => seconds(row.due).to_string(),
            "created" => seconds(row.created).to_string(),
            "attempts" => row.attempts.to_string(),
            "tries" => row.tries.to_string(),
            "lost" => row.lost_claims.to_string(),
            "owner" => row.owner.to_string(),
            "tenant" => joined(row.tenant),
            "webhook" => self.records.of([row.webhook.into()]),
            "task" => self.records.of(row.task.map(Into::into)),
            "body" if *row.body == *ODD => "odd".to_owned(),
            "body" => joined(Some(&row.body).filter(|body| !body.is_empty())),
            "kept" => row.message_kept.to_string(),
            "class" => row.class.clone(),
            "info" => joined(Some(&row.status_info).filter(|info| !info.is_empty())),
            "status" => joined(row.response_status),
            "last" => joined(row.last_attempt.map(seconds)),
            "lease" => joined(row.lease_until.map(seconds)),
            _ => panic!("a delivery has no {field}"),
        }
    }
}
