//! Steps on a queue.

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::*;
use webhook_model::TaskId;

use super::names::joined;
use super::play::{Answer, ODD, Play};
use super::step::{Step, parsed, realm, seconds};
use crate::fixtures::{
    UNLIMITED, at, direct, due_queues, end, message, queue_claim, settlement_of, webhook_of,
};

impl Play {
    pub(super) async fn on_queue(&mut self, step: &Step<'_>) -> Answer {
        let (queue, now) = (self.store.queue.clone(), at(self.now));
        match step.verb {
            "queued" => {
                let hook = webhook_of(1, "w");
                let hook = self
                    .store
                    .records
                    .insert_webhook(&hook, UNLIMITED, now)
                    .await?;
                self.records.add("w", hook.id.into());
                self.enqueue(step).await
            }
            "enqueue" => self.enqueue(step).await,
            "claim" => self.claim(step).await,
            "settle" => self.settle(step).await,
            "end" => {
                let hook = self.webhook(step.option("webhook").unwrap_or("w"));
                end(&self.store, hook, disposition(step.word(0)), self.now).await;
                Ok(String::new())
            }
            "reclaim" => {
                let done = queue.reclaim(step.number_of("limit", 9), now).await?;
                Ok(format!("{} back, {} ended", done.requeued, done.ended))
            }
            "due" => self.due(step).await,
            "next" => Ok(joined(queue.next_due(now).await?.map(seconds))),
            _ => {
                let stats = self.store.log.count_queue(now).await?;
                self.counted = Some(stats);
                if stats.counted != now {
                    return Ok("at another time".to_owned());
                }
                let oldest = joined(stats.oldest_due.map(seconds));
                let (queued, running, outbox) = (stats.queued, stats.running, stats.outbox);
                Ok(format!(
                    "{queued} queued, {running} running, oldest {oldest}, outbox {outbox}"
                ))
            }
        }
    }

    /// `enqueue id[@due][>webhook]… [end=sent lease= task= body= origin= row= turn= left= precondition= consume=]`
    async fn enqueue(&mut self, step: &Step<'_>) -> Answer {
        let new = |word: &&str| {
            let (word, hook) = word.split_once('>').unwrap_or((word, "w"));
            let (id, due) = word.split_once('@').unwrap_or((word, "0"));
            let mut new = message(self.webhook(hook), id, at(parsed(due)));
            new.lease_until = step.time("lease");
            new.task = step.option("task").map(|task| self.task(task));
            new.body = match step.option("body") {
                Some("odd") => ODD.into(),
                other => other.unwrap_or("{}").into(),
            };
            new
        };
        let names = step
            .words
            .iter()
            .map(|word| word.split(['@', '>']).next().unwrap_or_default());
        let mut batch = direct(step.words.iter().map(new).collect());
        batch.origin = self.origin(step);
        let first = batch.deliveries.first().map(|new| new.webhook);
        batch.precondition = step
            .option("precondition")
            .map_or(Precondition::Nothing, |name| self.bases[name].clone());
        let consume = step
            .option("consume")
            .into_iter()
            .flat_map(|names| names.split(','));
        batch.consume = consume.map(|name| self.task(name)).collect();
        match self.store.queue.enqueue(batch, at(self.now)).await? {
            Enqueued::Stored {
                deliveries,
                mut moved,
                ..
            } => {
                if deliveries.len() != step.words.len() {
                    return Ok(format!("stored {}", deliveries.len()));
                }
                for (name, stored) in names.zip(deliveries) {
                    self.deliveries.add(name, stored.id);
                    self.tokens
                        .entry(stored.id)
                        .or_default()
                        .extend(stored.token);
                }
                if let (Some(word), Some(hook)) = (step.option("end"), first) {
                    end(&self.store, hook, disposition(word), self.now).await;
                }
                moved.sort_unstable();
                let (places, versions): (Vec<_>, Vec<_>) = moved.into_iter().unzip();
                let places_moved = places.iter().map(ToString::to_string);
                let answer = joined(std::iter::once("stored".to_owned()).chain(places_moved));
                let now = self.store.records.routes_versions(&places).await?;
                Ok(if now == versions {
                    answer
                } else {
                    answer + " in other versions"
                })
            }
            Enqueued::AlreadyKnown => Ok("known".to_owned()),
            Enqueued::RoutesChanged => Ok("routes changed".to_owned()),
            Enqueued::RowsChanged(mut rows) => {
                rows.sort_unstable();
                Ok(format!("changed {}", self.records.of(rows)))
            }
        }
    }

    /// `origin=id[/realm]` is an occurrence; `row=name turn=n` a row of the outbox, of which
    /// `left=task,task left_until=due` is left, or `left_after=task`, and whose occurrence is that
    /// of `origin`.
    fn origin(&self, step: &Step<'_>) -> Origin {
        let occurrence = step.option("origin").map(|origin| {
            let (id, place) = origin.split_once('/').unwrap_or((origin, "common"));
            (realm(place), parsed(id))
        });
        let Some(row) = step.option("row") else {
            return occurrence.map_or(Origin::Direct, |(place, id)| Origin::Occurrence {
                place,
                id,
            });
        };
        let tasks = |names: &str| names.split(',').map(|task| TaskId(parsed(task))).collect();
        let left = step
            .option("left")
            .map(|names| RemainingTasks::Tasks(tasks(names)));
        let after = step
            .option("left_after")
            .map(|task| RemainingTasks::After(TaskId(parsed(task))));
        Origin::Outbox {
            row: self.outbox.id(row),
            turn: step.number_of("turn", 0),
            occurrence,
            left: left.or(after).zip(step.time("left_until")),
        }
    }

    /// `claim [webhook] [class=first,retry]`: the deliveries in order, class by class.
    async fn claim(&mut self, step: &Step<'_>) -> Answer {
        let name = match step.word(0) {
            "" | "bodies" => "w",
            name => name,
        };
        let hook = self.webhook(name);
        let asked = step.option("class");
        let asked = |class: &QueueClass| asked.is_none_or(|asked| asked.contains(word(*class)));
        let queues: Vec<_> = QueueClass::ALL.into_iter().filter(asked).collect();
        let queues: Vec<_> = queues
            .into_iter()
            .map(|class| queue_claim(hook, class))
            .collect();
        let until = at(self.now + 10);
        let mut claimed = self.store.queue.claim(&queues, until, at(self.now)).await?;
        claimed.sort_by_key(|one| one.class);
        let mut found = Vec::new();
        for one in claimed {
            self.deliveries
                .add(one.delivery.message_id.as_str(), one.delivery.id);
            let mut name = self.deliveries.of([one.delivery.id]);
            let tokens = self.tokens.entry(one.delivery.id).or_default();
            if tokens.last().is_some_and(|last| last.0 >= one.token.0) {
                name += " with an old token";
            }
            tokens.push(one.token);
            if step.words.contains(&"bodies") {
                name = format!("{name}:{}", one.delivery.body);
            }
            if one.class != QueueClass::First {
                name = format!("{name}:{}", word(one.class));
            }
            found.push(if step.words.contains(&"revisions") {
                format!("{name}@{}", one.revision.0)
            } else {
                name
            });
        }
        Ok(joined(found))
    }

    /// `settle id[^token of][~claims ago]:end[,untried][,unkept][,blank]…`, all in one call.
    async fn settle(&mut self, step: &Step<'_>) -> Answer {
        let items = step.words.iter().filter_map(|word| word.split_once(':'));
        let settled = |(of, end): (&str, &str)| {
            let (of, ago) = of.split_once('~').unwrap_or((of, "0"));
            let (id, token) = of.split_once('^').unwrap_or((of, of));
            let tokens = &self.tokens[&self.deliveries.id(token)];
            let claim = Claim {
                delivery: self.deliveries.id(id),
                token: tokens[tokens.len() - 1 - parsed::<usize>(ago)],
            };
            let mut parts = end.split(',');
            let end = parts.next().unwrap_or_default();
            let mut settled = settlement_of(claim, disposition(end));
            for part in parts {
                match part {
                    "unkept" => settled.keep_message = false,
                    "blank" => settled.attempt.iter_mut().for_each(blank),
                    _ => settled.attempt = None,
                }
            }
            settled
        };
        let all = items.map(settled).collect();
        let done = self.store.queue.settle(all, at(self.now)).await?;
        Ok(joined(done.iter().map(|one| match one {
            Settled::Done => "done",
            Settled::Stale => "stale",
        })))
    }

    /// The queues that may be claimed from: by what became due, as asked for, and in a sweep. With
    /// `whole`, their owners, realms, revisions and due times.
    async fn due(&self, step: &Step<'_>) -> Answer {
        let due = due_queues(&self.store, self.now).await;
        let hooks = self.records.ids().filter_map(|id| match id {
            RecordId::Webhook(id) => Some(id),
            _ => None,
        });
        let hooks: Vec<_> = hooks.collect();
        let of = self.store.queue.queues_of(&hooks, at(self.now)).await?;
        let swept = swept(&self.store.queue, self.now).await?;
        let shown = |queues: &[DueQueue]| joined(queues.iter().map(|due| self.shown(due, step)));
        let (due, of, swept) = (shown(&due), shown(&of), shown(&swept));
        if due == of && of == swept {
            return Ok(due);
        }
        Ok(format!("{due} became due, {of} are, {swept} in a sweep"))
    }

    fn shown(&self, due: &DueQueue, step: &Step<'_>) -> String {
        let name = self.records.of([due.queue.webhook.into()]);
        if step.word(0) == "whole" {
            let revision = due.revision.0;
            return format!(
                "{name}/{}/{}/{revision}/{}",
                due.owner,
                due.realm,
                seconds(due.due)
            );
        }
        match due.queue.class {
            QueueClass::First => name,
            class => format!("{name}:{}", word(class)),
        }
    }
}

/// Makes an attempt one whose response is not kept.
fn blank(attempt: &mut AttemptRecord) {
    attempt.kept = false;
    attempt.request_head.clear();
    attempt.response_head.clear();
    attempt.response_body.clear();
}

/// Sweeps all queues, two at a time, and returns those that may be claimed from.
async fn swept(
    queue: &std::sync::Arc<dyn QueueStore>,
    now: i64,
) -> Result<Vec<DueQueue>, StoreError> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = queue.queues(Queues::Beyond(after), 2, at(now)).await?;
        found.extend(page.due);
        let Some(Queues::Beyond(next)) = page.more else {
            return Ok(found);
        };
        assert!(next > after, "a sweep continues");
        after = next;
    }
}

fn word(class: QueueClass) -> &'static str {
    match class {
        QueueClass::First => "first",
        QueueClass::Retry => "retry",
        QueueClass::Lost => "lost",
        QueueClass::Quarantine => "quarantine",
    }
}

/// `sent`, `failed`, `retry@5`, `release@5`.
fn disposition(word: &str) -> Disposition {
    let (end, due) = word.split_once('@').unwrap_or((word, "0"));
    let due = at(parsed(due));
    match end {
        "sent" => Disposition::Sent,
        "failed" => Disposition::Failed,
        "retry" => Disposition::Retry { due },
        "release" => Disposition::Release { due },
        _ => panic!("{word} is no end"),
    }
}
