//! Contract tests that are text: a scenario of steps, a line each, with what a store must answer.
//!
//! ```text
//! q05_an_old_token_settles_nothing
//! A token from before a reclaim settles nothing.
//!   webhook w
//!   enqueue a
//!   claim | a
//!   10 reclaim | 1 back, 0 ended
//!   11 settle a:sent | stale
//! ```
//!
//! A step begins with the time, unless that is still the one of the step before it, and a verb. The
//! answer that it must have stands behind the bar. Without one, any but an error will do. `reopen`
//! drops the store and opens what it kept. `race 16`
//! before a verb carries it out by sixteen callers at the same time, with their numbers in place of
//! `#`, and counts their answers.

mod counters;
mod log;
mod names;
mod outbox;
mod owners;
mod play;
mod queue;
mod records;
mod step;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use play::{Answer, Play};
use step::Step;

use crate::harness::{Harness, Webhooks};
use crate::outcome::Outcome;
use crate::runtime::racing;

/// All scenarios.
const TEXTS: [&str; 6] = [
    include_str!("queue.txt"),
    include_str!("log.txt"),
    include_str!("outbox.txt"),
    include_str!("owners.txt"),
    include_str!("records.txt"),
    include_str!("kept.txt"),
];

/// Returns the lines of a scenario below its name, the sentence first; none if there is no such
/// scenario.
fn lines(name: &str) -> impl Iterator<Item = &'static str> {
    let mut scenarios = TEXTS.iter().flat_map(|text| text.split("\n\n"));
    let found = scenarios.find(|scenario| scenario.lines().next() == Some(name));
    found
        .into_iter()
        .flat_map(|scenario| scenario.lines().skip(1))
}

/// Returns the sentence of a scenario; `None` if there is none of this name.
pub(crate) fn sentence(name: &str) -> Option<&'static str> {
    lines(name).next()
}

/// Carries out the scenario of this name on the empty store of a harness.
pub(crate) async fn play(name: &'static str, home: Arc<dyn Harness<Webhooks>>) -> Outcome {
    let number: u32 = step::parsed(&name[1..3]);
    let id = format!("{}{number}", name[..1].to_uppercase());
    let mut play = Play::new(home.fresh().await);
    assert!(sentence(name).is_some(), "{name} is not written");
    for line in lines(name).skip(1) {
        let step = Step::parse(line);
        play.now = step.now.unwrap_or(play.now);
        let now = play.now;
        if step.verb == "reopen" {
            let Some(store) = home.reopen(play.store).await else {
                return Outcome::Ignored("not durable");
            };
            play.store = store;
            continue;
        }
        let answer = play.act(&step).await;
        let failed = answer.is_err();
        let answer = shown(answer);
        let Some(wanted) = step.wanted else {
            assert!(!failed, "it cannot continue: {line}: {answer}");
            continue;
        };
        assert!(
            fits(&answer, wanted),
            "{id} at {now}: {}\nexpected: {wanted}\nfound:    {answer}",
            line.trim()
        );
    }
    Outcome::Held
}

fn shown(answer: Answer) -> String {
    answer.unwrap_or_else(|error| format!("error {:?}", error.kind()))
}

/// Returns whether an answer is the wanted one, in which `*` is any word.
fn fits(answer: &str, wanted: &str) -> bool {
    let (answer, wanted) = (answer.split(' '), wanted.split(' '));
    answer.clone().count() == wanted.clone().count()
        && answer
            .zip(wanted)
            .all(|(answer, wanted)| answer == wanted || wanted == "*")
}

impl Play {
    async fn act(&mut self, step: &Step<'_>) -> Answer {
        match step.verb {
            "race" => Ok(self.race(step).await),
            "queued" | "enqueue" | "claim" | "settle" | "end" | "reclaim" | "due" | "next"
            | "count" => self.on_queue(step).await,
            "push" | "waiting" | "take" | "back" | "aside" | "later" | "open" => {
                self.on_outbox(step).await
            }
            "place" | "hold" | "gone" | "remove" | "owner" | "owners" | "lease" => {
                self.on_owners(step).await
            }
            "show" | "attempts" | "replay" | "cancel" | "hasten" | "forget" | "expire"
            | "purge" | "deliveries" | "look" => self.on_log(step).await,
            "recount" | "used" | "stats" | "use" | "hours" | "hour" | "reject" | "rejected" => {
                self.on_counters(step).await
            }
            _ => self.on_records(step).await,
        }
    }

    /// Carries out a step by several callers at the same time. Returns how many had which answer.
    fn race<'a>(
        &'a mut self,
        step: &'a Step<'_>,
    ) -> Pin<Box<dyn Future<Output = String> + Send + 'a>> {
        Box::pin(async move {
            let racers = (0..step.number(0)).map(|n: usize| {
                let (mut play, text) = (self.clone(), step.rest.replace('#', &n.to_string()));
                async move {
                    let answer = play.act(&Step::parse(&text)).await;
                    (play, answer)
                }
            });
            let mut answers = BTreeMap::new();
            for racer in racing(racers).await {
                let (play, answer) = racer;
                self.deliveries.extend(play.deliveries);
                for (id, tokens) in play.tokens {
                    let known = self.tokens.entry(id).or_default();
                    if tokens.len() > known.len() {
                        *known = tokens;
                    }
                }
                *answers.entry(shown(answer)).or_insert(0) += 1;
            }
            let counted = answers
                .into_iter()
                .map(|(answer, count)| format!("{count} {answer}"));
            counted.collect::<Vec<_>>().join(", ")
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::webhook_contract;

    #[test]
    fn scenarios_are_all_contract_tests() {
        let names: Vec<_> = webhook_contract().iter().map(|test| test.name).collect();
        let mut scenarios = super::TEXTS.iter().flat_map(|text| text.split("\n\n"));
        let unlisted = |scenario: &&str| !names.contains(&scenario.lines().next().unwrap());
        assert_eq!(scenarios.find(unlisted), None);
    }
}
