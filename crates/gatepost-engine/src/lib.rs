#![doc = include_str!("../README.md")]

mod builder;
mod config;
mod dispatch;
mod emit;
mod engine;
mod error;
mod health;
mod ids;
mod keep;
mod observe;
mod routes;
mod service;
mod settle;
mod work;

// The public interface is:

pub use builder::EngineBuilder;
pub use config::{DisablePolicy, Limits, Retention};
pub use emit::Emitted;
pub use engine::Engine;
pub use error::{EmitError, EngineError, StartError};
pub use health::Health;
pub use observe::{Notice, Observer};
pub use service::{Example, TestSend};
