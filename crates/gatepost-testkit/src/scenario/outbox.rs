//! Steps on an outbox.

use gatepost_ids::Realm;
use gatepost_storage::webhooks::{OutboxAudience, OutboxRow, PutBack, RemainingTasks};
use webhook_model::Audience;

use super::names::joined;
use super::play::{Answer, Play};
use super::step::{Step, realm, seconds};
use crate::fixtures::{at, full_occurrence, occurrence, outbox};

impl Play {
    pub(super) async fn on_outbox(&mut self, step: &Step<'_>) -> Answer {
        let (store, now) = (self.store.outbox.clone(), at(self.now));
        let row = || self.outbox.id(step.word(0));
        match step.verb {
            "push" => {
                let mut pushed = match step.word(1) {
                    "full" => full_occurrence(),
                    _ => occurrence("on"),
                };
                pushed.audience = step.option("to").map_or(Audience::OneSystem, audience);
                let id = store.push_outbox(&pushed, now).await?;
                self.outbox.add(step.word(0), id);
                self.pushed.insert(step.word(0).to_owned(), pushed);
            }
            "waiting" => {
                let rows = outbox(&self.store, self.now).await;
                return Ok(joined(rows.iter().map(|row| self.waiting(row, step))));
            }
            "take" => {
                let until = at(self.now + 10);
                let limit = step.number_of("limit", 9);
                let Some(taken) = store.take_outbox(step.number(0), limit, until, now).await?
                else {
                    return Ok("none".to_owned());
                };
                let rows = self.outbox.of(taken.rows.iter().map(|row| row.id));
                let OutboxAudience { tenant, owner } = taken.audience;
                return Ok(format!("{tenant}/{owner} {rows}"));
            }
            "back" => {
                let whose = audience(step.word(1)).into();
                store.give_back_outbox(whose, step.number(0)).await?;
            }
            "aside" => {
                let aside = PutBack::Aside("no such type".to_owned());
                store
                    .put_back(row(), step.number_of("turn", 0), aside)
                    .await?;
            }
            "later" => {
                let later = PutBack::Until(at(step.number_of("until", 0)));
                store
                    .put_back(row(), step.number_of("turn", 0), later)
                    .await?;
            }
            _ => {
                let before = self.outbox.id(step.option("before").unwrap_or("nothing"));
                let limit = step.number_of("limit", 9);
                let open = store
                    .open_outbox(audience(step.word(0)).into(), before, limit)
                    .await?;
                return Ok(joined(open.iter().map(|row| {
                    let name = self.outbox.of([row.id]);
                    format!("{name}@{}:{}", seconds(row.due), remaining(&row.left))
                })));
            }
        }
        Ok(String::new())
    }

    /// A row, whose occurrence must be as it was pushed; with `whole`, also when it was created,
    /// its turn, and the rest of its tasks.
    fn waiting(&self, row: &OutboxRow, step: &Step<'_>) -> String {
        let name = self.outbox.of([row.id]);
        if self.pushed.get(&name) != row.occurrence.as_ref().ok() {
            return format!("{name} changed to {:?}", row.occurrence);
        }
        if !step.words.contains(&"whole") {
            return name;
        }
        format!(
            "{name}@{}:{}:{}",
            seconds(row.created),
            row.turn,
            remaining(&row.left)
        )
    }
}

fn remaining(left: &RemainingTasks) -> String {
    match left {
        RemainingTasks::After(task) => format!("after{}", task.0),
        RemainingTasks::Tasks(tasks) => {
            let tasks: Vec<_> = tasks.iter().map(|task| task.0.to_string()).collect();
            tasks.join(",")
        }
    }
}

fn audience(word: &str) -> Audience {
    match realm(word) {
        Realm::Tenant(tenant) => Audience::Tenant(tenant),
        Realm::Solo(owner) => Audience::Owner(owner),
        Realm::System => Audience::Operators,
        Realm::Shared => Audience::OneSystem,
    }
}
