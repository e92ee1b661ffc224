//! Emits many occurrences: decided in their order, and stored in as few commits as hold them.

use std::collections::HashMap;
use std::sync::Arc;

use gatepost_ids::{Audience, Realm};
use gatepost_storage::webhooks::{
    Enqueue, Enqueued, NewOutbox, Origin, RemainingTasks, RoutesVersion,
};
use gatepost_storage::{ErrorKind, StoreError};
use tokio::task::JoinSet;
use webhook_model::{Occurrence, TaskId};

use super::draft::{Before, Draft, Drafted};
use super::draft_set::Set;
use super::emitted::Emitted;
use super::emitter::Emitter;
use super::emitting::whole;
use super::finder::Ask;
use super::plan::Spent;
use super::preconditions::Races;
use super::sink::{Decided, Sink};
use crate::cooperative_yield::GiveWay;
use crate::error::EmitError;

/// The maximum number of occurrences in one call of [`Engine::emit_many`](crate::Engine::emit_many)
/// and of [`Engine::emit_many_later`](crate::Engine::emit_many_later).
pub const MAX_EMIT_MANY: usize = 1_000;
/// The cost of deciding an occurrence, in bytes that might be rendered in that time.
const DECIDING: usize = 1_024;

type Places = HashMap<Audience, Result<Vec<Realm>, EmitError>>;

/// An occurrence that is not decided yet.
#[derive(Debug)]
struct Open {
    /// The index of its answer.
    at: usize,
    occurrence: Occurrence,
    races: Races,
}

/// The content that is stored for one occurrence.
#[derive(Debug)]
enum Step {
    Batch(Box<Draft>),
    /// The whole occurrence as an outbox row: all of it waits, or it is too much for one
    /// transaction.
    Whole,
}

/// The results of one round of decisions.
#[derive(Debug)]
struct Round {
    /// One for each occurrence of the call; `None` while it is open.
    answers: Vec<Option<Result<Emitted, EmitError>>>,
    /// The occurrences that are decided again, because the records have changed.
    again: Vec<Open>,
    /// The realms that must be read again for that.
    seen: Vec<Vec<(Realm, RoutesVersion)>>,
}

impl Emitter {
    /// Returns an answer for each, in order; in a separate task as
    /// [`emit_detached`](Self::emit_detached).
    pub(crate) async fn emit_many_detached(
        self: &Arc<Self>,
        occurrences: Vec<Occurrence>,
    ) -> Result<Vec<Result<Emitted, EmitError>>, EmitError> {
        not_too_many(&occurrences)?;
        let joined = occurrences.into_iter().map(|one| self.joined(one));
        let (emitter, occurrences) = (self.clone(), joined.collect());
        self.detached(async move { Ok(emitter.emit_many(occurrences).await) })
            .await
    }

    /// Writes them into the outbox: all of them, or none.
    pub(crate) async fn emit_many_later(
        &self,
        occurrences: &[Occurrence],
    ) -> Result<(), EmitError> {
        not_too_many(occurrences)?;
        let now = self.core.clock.now()?;
        let row = |occurrence: &Occurrence| NewOutbox {
            occurrence: self.joined(occurrence.clone()),
            left: RemainingTasks::After(TaskId(0)),
            by: None,
            due: now,
        };
        let rows: Vec<NewOutbox> = occurrences.iter().map(row).collect();
        if !rows.is_empty() {
            let rows = Enqueue::later(Origin::Direct, rows);
            let stored = self.core.store.enqueue(rows, now).await?;
            self.was_set_down(&stored)?;
        }
        Ok(())
    }

    pub(super) async fn emit_many(
        &self,
        occurrences: Vec<Occurrence>,
    ) -> Vec<Result<Emitted, EmitError>> {
        let places = self.places_of(&occurrences).await;
        let mut round = Round {
            answers: occurrences.iter().map(|_| None).collect(),
            again: Vec::new(),
            seen: Vec::new(),
        };
        let mut open: Vec<Open> = (0..)
            .zip(occurrences)
            .map(|(at, occurrence)| Open {
                at,
                occurrence,
                races: Races::default(),
            })
            .collect();
        // This loop ends: what changes in each round goes to the outbox after a few tries.
        while !open.is_empty() {
            self.decide_all(open, &places, &mut round).await;
            open = std::mem::take(&mut round.again);
            for seen in std::mem::take(&mut round.seen) {
                if let Err(error) = self.finder.tables.refresh(&seen).await {
                    let error = EmitError::from(error);
                    for one in open.drain(..) {
                        round.answer(one.at, Err(error.clone()));
                    }
                }
            }
        }
        let answer = |answer: Option<_>| answer.unwrap_or_else(|| Err(no_answer().into()));
        round.answers.into_iter().map(answer).collect()
    }

    async fn decide_all(&self, open: Vec<Open>, places: &Places, round: &mut Round) {
        let (mut set, mut turns) = (Set::default(), GiveWay::default());
        for mut one in open {
            if set.is_full(&self.limits) {
                self.store_set(std::mem::take(&mut set), round).await;
            }
            let mut drafted = self.step(&mut one, places, &mut set).await;
            if matches!(drafted, Ok(Drafted::NotFirst)) {
                self.store_set(std::mem::take(&mut set), round).await;
                if round.again.is_empty() {
                    drafted = self.step(&mut one, places, &mut set).await;
                }
            }
            match drafted {
                Ok(Drafted::Decided(Decided::Stored { emitted, .. })) => {
                    round.answer(one.at, Ok(emitted));
                }
                Ok(Drafted::Decided(Decided::Repeated)) => {
                    round.answer(one.at, Ok(Emitted::known()));
                }
                Ok(Drafted::Decided(
                    Decided::TooMuch | Decided::Undecided | Decided::Behind { .. },
                )) => match self.whole(&one, places) {
                    Ok(enqueue) => {
                        let audience = one.occurrence.audience;
                        set.push((one, Step::Whole), audience, enqueue);
                    }
                    Err(error) => round.answer(one.at, Err(error)),
                },
                // If earlier ones are decided again, this one is, too.
                Ok(Drafted::NotFirst) => round.again.push(one),
                Ok(Drafted::Draft(draft, enqueue)) => {
                    set.count(&draft);
                    turns.after(DECIDING + draft.size().1).await;
                    let audience = one.occurrence.audience;
                    set.push((one, Step::Batch(draft)), audience, enqueue);
                }
                Err(error) => round.answer(one.at, Err(error)),
            }
        }
        self.store_set(set, round).await;
    }

    async fn step(
        &self,
        one: &mut Open,
        places: &Places,
        set: &mut Set<(Open, Step)>,
    ) -> Result<Drafted, EmitError> {
        self.core.access.check_audience(&one.occurrence)?;
        let audience = one.occurrence.audience;
        let ask = ask(&one.occurrence, places)?;
        let (sink, nothing) = (Sink::Emit(ask.origin()), Spent::default());
        let before = Before {
            occurrence: &nothing,
            set: &set.spent,
            first: set.is_clear(audience),
        };
        one.races.open = set.open.get(&audience).cloned();
        let drafted = self.draft(&ask, &sink, before, &mut one.races).await;
        let open = one.races.open.clone().map(|open| (audience, open));
        set.open.extend(open);
        drafted
    }

    fn whole(&self, one: &Open, places: &Places) -> Result<Enqueue, EmitError> {
        let ask = ask(&one.occurrence, places)?;
        Ok(whole(&ask, ask.origin(), self.core.clock.now()?))
    }

    /// Stores the set. Leased deliveries are sent immediately, whatever the other results are.
    async fn store_set(&self, set: Set<(Open, Step)>, round: &mut Round) {
        let mut stored = match self.store_all(set.enqueues).await {
            Ok(stored) => stored.into_iter(),
            Err(error) => {
                for (one, _) in set.items {
                    round.answer(one.at, Err(error.clone()));
                }
                return;
            }
        };
        for (one, step) in set.items {
            match stored.next().unwrap_or_else(|| Err(no_answer())) {
                Ok(stored) => self.settle_one(one, step, stored, round),
                Err(error) => round.answer(one.at, Err(error.into())),
            }
        }
    }

    fn settle_one(&self, mut one: Open, step: Step, stored: Enqueued, round: &mut Round) {
        let draft = match step {
            Step::Batch(draft) => draft,
            Step::Whole => return round.answer(one.at, self.was_set_down(&stored)),
        };
        match self.conclude(*draft, stored, &mut one.races) {
            Ok(Decided::Stored { emitted, .. }) => round.answer(one.at, Ok(emitted)),
            Ok(_) => round.answer(one.at, Ok(Emitted::known())),
            Err(seen) => {
                if !round.seen.contains(&seen) {
                    round.seen.push(seen);
                }
                round.again.push(one);
            }
        }
    }

    /// Returns the realms of each audience. The platform is asked about all of them concurrently.
    async fn places_of(&self, occurrences: &[Occurrence]) -> Places {
        let (mut places, mut asking) = (Places::new(), JoinSet::new());
        for occurrence in occurrences {
            let audience = occurrence.audience;
            let unknown = || Err(EmitError::Platform("it panicked".to_owned()));
            if self.core.access.check_audience(occurrence).is_ok()
                && !places.contains_key(&audience)
            {
                places.insert(audience, unknown());
                let authorizer = self.core.access.clone();
                asking.spawn(async move { (audience, authorizer.places(audience).await) });
            }
        }
        while let Some(asked) = asking.join_next().await {
            places.extend(asked);
        }
        places
    }
}

impl Round {
    fn answer(&mut self, at: usize, answer: Result<Emitted, EmitError>) {
        if let Some(open) = self.answers.get_mut(at) {
            *open = Some(answer);
        }
    }
}

/// Selects all matching tasks in the realms of its audience.
fn ask<'a>(occurrence: &'a Occurrence, places: &'a Places) -> Result<Ask<'a>, EmitError> {
    let places = match places.get(&occurrence.audience) {
        Some(Ok(places)) => places,
        Some(Err(error)) => return Err(error.clone()),
        None => return Err(no_answer().into()),
    };
    Ok(Ask {
        occurrence,
        places,
        left: Emitter::all(),
        by: None,
        context: None,
        patience: None,
    })
}

fn not_too_many(occurrences: &[Occurrence]) -> Result<(), EmitError> {
    match occurrences.len() {
        0..=MAX_EMIT_MANY => Ok(()),
        count => Err(EmitError::TooMany {
            count,
            most: MAX_EMIT_MANY,
        }),
    }
}

fn no_answer() -> StoreError {
    StoreError::new(ErrorKind::Unavailable, "the store gave no answer")
}
