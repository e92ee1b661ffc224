//! The acts on the platform.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_engine::{EmitError, Emitted, Engine};

use super::accounts::ALL;
use super::cluster::Cluster;
use super::furnish::{HOSTS, event, occurrence, task};
use super::ledger::{Accepted, Ledger, Once};
use super::script::Act;

/// The state in which the script is carried out.
pub(super) struct Stage {
    pub(super) cluster: Cluster,
    pub(super) ledger: Arc<Ledger>,
    /// The largest number of seconds by which a clock was wrong.
    pub(super) jumped: u64,
    /// The times at which one was set, also when it was set right again.
    pub(super) jumps: Vec<DateTime<Utc>>,
    /// The times between which the store refused or broke calls of any process.
    pub(super) store_troubles: Vec<(DateTime<Utc>, DateTime<Utc>)>,
}

impl Stage {
    /// Carries out an act.
    pub(super) async fn act(&mut self, act: Act) {
        match act {
            Act::Emit {
                process,
                user,
                times,
            } => self.emit(process, user, times, false),
            Act::EmitMany {
                process,
                user,
                times,
            } => self.emit_many(process, user, times),
            Act::EmitLater {
                process,
                user,
                times,
            } => self.emit(process, user, times, true),
            Act::Repeat { process, back } => self.repeat(process, back),
            Act::Once { process, user } => self.once(process, user),
            Act::Target { host, mood } => {
                self.cluster
                    .ground
                    .network
                    .set(usize::from(host) % HOSTS, mood);
            }
            Act::Kill {
                process,
                back_after,
            } => self.cluster.kill(process, back_after),
            Act::Stop {
                process,
                back_after,
            } => self.cluster.stop(process, back_after),
            Act::Jump { process, seconds } => {
                self.jumped = self.jumped.max(u64::from(seconds.unsigned_abs()));
                if let Some(process) = self.cluster.process(process) {
                    self.jumps.push(self.ledger.now());
                    process.clock.set_wrong(seconds.into());
                }
            }
            Act::StoreDown { seconds } => {
                let time = Duration::from_secs(seconds.into());
                self.store_is_troubled(time);
                self.cluster.store_down(time);
            }
            Act::StoreBad { process, seconds } => {
                let time = Duration::from_secs(seconds.into());
                self.store_is_troubled(time);
                if let Some(process) = self.cluster.process(process) {
                    process.way.bad(time);
                }
            }
            Act::Rotate {
                process,
                hook,
                shown,
            } => self.rotate(process, hook, shown),
            Act::Limit { user, waiting } => self.limit(named(user), waiting),
            Act::Lift { user } => self.lift(named(user)),
            Act::AddWebhooks { process, user } => self.add_webhooks(process, named(user)),
            Act::RollKey {
                process,
                user,
                overlap,
            } => self.roll_key(process, named(user), overlap),
            Act::UseKeys { process, user } => self.use_keys(process, named(user)),
            of_a_hook => self.of_a_hook(of_a_hook),
        }
    }

    fn store_is_troubled(&mut self, time: Duration) {
        let now = self.ledger.now();
        self.store_troubles.push((now, now + time));
    }

    /// Calls a process while everything else runs.
    pub(super) fn ask<F>(&self, process: u8, ask: impl FnOnce(Engine, Arc<Ledger>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if let Some(process) = self.cluster.process(process) {
            tokio::spawn(ask(process.engine.clone(), self.ledger.clone()));
        }
    }

    fn emit(&self, process: u8, user: u8, times: u8, later: bool) {
        let user = named(user);
        for _ in 0..times {
            let number = self.ledger.happens(user, later);
            self.ask(process, move |engine, ledger| async move {
                let new = occurrence("poweron", 1, user, number);
                let accepted = match later {
                    true => engine.emit_later(&new).await.ok().map(|()| Accepted::Later),
                    false => accepted(&engine.emit(new).await),
                };
                if let Some(accepted) = accepted {
                    ledger.accepted(number, accepted);
                }
            });
        }
    }

    fn emit_many(&self, process: u8, user: u8, times: u8) {
        let user = named(user);
        let numbers: Vec<u64> = (0..times)
            .map(|_| self.ledger.happens(user, false))
            .collect();
        self.ask(process, move |engine, ledger| async move {
            let new = numbers
                .iter()
                .map(|number| occurrence("poweron", 1, user, *number));
            let answers = engine.emit_many(new.collect()).await.unwrap_or_default();
            for (number, answer) in numbers.iter().zip(answers) {
                if let Some(accepted) = accepted(&answer) {
                    ledger.accepted(*number, accepted);
                }
            }
        });
    }

    fn repeat(&self, process: u8, back: u8) {
        let mut known = self.ledger.happened.lock().unwrap();
        let number = (known.len() as u64).saturating_sub(back.into());
        let Some(known) = known.get_mut(&number) else {
            return;
        };
        known.repeated = true;
        let user = known.user;
        self.ask(process, move |engine, ledger| async move {
            let again = occurrence("poweron", 1, user, number);
            if let Some(accepted) = accepted(&engine.emit(again).await) {
                ledger.accepted(number, accepted);
            }
        });
    }

    fn once(&self, process: u8, user: u8) {
        let user = named(user);
        let number = {
            let mut once = self.ledger.once.lock().unwrap();
            let number = once.len() as u64 + 1;
            let began = self.ledger.now();
            once.insert(
                number,
                Once {
                    user,
                    task: None,
                    began,
                    reached: None,
                },
            );
            number
        };
        let other = self.cluster.process(process.wrapping_add(1));
        let other = other.map(|other| other.engine.clone());
        self.ask(process, move |engine, ledger| async move {
            let hook = {
                let hooks = ledger.hooks.lock().unwrap();
                let mut own = hooks
                    .iter()
                    .filter(|hook| hook.owner == user && hook.steady);
                own.next().map(|hook| hook.id)
            };
            let Some(hook) = hook else { return };
            let message = format!(r#"{{"once":"{number}"}}"#);
            let Ok(row) = engine.create_task(&task(hook, user, &message, true)).await else {
                return;
            };
            let tag = 1_000 + number.cast_signed();
            let stored = engine
                .create_event(&event("once", tag, row.id))
                .await
                .is_ok();
            if !stored {
                return;
            }
            ledger.note_once(number, |once| once.task = Some(row.id));
            let happens = |nth| occurrence("once", tag, user, number * 2 + nth);
            let other = other.as_ref().unwrap_or(&engine);
            let (one, two) = tokio::join!(engine.emit(happens(0)), other.emit(happens(1)));
            let accepted = [accepted(&one), accepted(&two)].into_iter().flatten();
            let reached = accepted.map(|accepted| ledger.decided(accepted)).max();
            ledger.note_once(number, |once| once.reached = reached);
        });
    }
}

/// Returns the accepted occurrence. The checks must miss every delivery that an accepted emit
/// leaves out, except those that a quota rejects.
fn accepted(emitted: &Result<Emitted, EmitError>) -> Option<Accepted> {
    let emitted = emitted.as_ref().ok()?;
    Some(match emitted.pending || emitted.repeated {
        true => Accepted::Later,
        false => Accepted::Decided,
    })
}

/// Returns a user, by a number that is taken modulo the number of users.
fn named(user: u8) -> u128 {
    ALL[usize::from(user) % ALL.len()]
}
