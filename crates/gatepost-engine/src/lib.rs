#![doc = include_str!("../README.md")]

mod access;
mod accumulator;
mod activity;
mod admission;
mod attempt;
mod builder;
mod clock;
mod config;
mod cooperative_yield;
mod core;
mod direct_requests;
mod dispatcher;
mod emit;
mod engine;
mod error;
mod fair_map;
mod guard;
mod health;
mod lease;
mod lifecycle;
mod maintenance;
mod meter;
mod observer;
mod operational;
mod poll_backoff;
mod random;
mod records;
mod render;
mod routes;
mod scheduler;
mod settle;
mod small_map;
#[cfg(test)]
mod testing;
mod tokens;
mod trace;
mod transport;
mod troubles;

// The public interface is:

pub use access::{Decision, PolicyAnswer, PolicyError, PolicyQuestion, SubscriptionPolicy};
pub use builder::EngineBuilder;
pub use config::{
    BreakerLimits, DisablePolicy, EmitLimits, InFlightLimits, Limits, OperationalEvents,
    RateLimits, Retention, RetryScheduleLimits, Timing,
};
pub use emit::{Emitted, MAX_EMIT_MANY};
pub use engine::Engine;
pub use error::{EmitError, EngineError, StartError};
pub use gatepost_ids::{
    AccessLevel, Account, AccountAnswer, Accounts, AccountsError, Audience, Quota, Quotas, Realm,
};
pub use gatepost_storage::webhooks::{HourlyCount, QueueStats};
pub use gatepost_storage::{AtMost, Scope};
pub use health::{Health, Leads};
pub use observer::{Notice, Observer};
pub use records::changes::MAX_TOGETHER;
pub use records::cursor::MAX_FETCHED;
pub use records::fetching::{FetchedMessage, FetchedPage};
pub use records::owners::{Rejected, Usage};
pub use records::replays::Replay;
pub use records::run_context::{RunContext, TriggerInput};
pub use records::targets::TargetVerdict;
pub use records::wait_reason::WaitReason;
pub use render::Example;
pub use trace::Tracer;
