//! The log: one line for each event, to the standard error.

use std::io::{self, IsTerminal};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

use crate::failure::Failure;
use crate::traces::Traces;

/// The environment variable that selects what is logged, instead of `-v` and `-q`.
const FILTER: &str = "RUST_LOG";
/// It logs each statement, with its parameters, at `debug`.
const DRIVER: &str = "tokio_postgres";
/// <https://no-color.org>
const NO_COLOURS: &str = "NO_COLOR";

/// How much is logged.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verbosity {
    /// `-v`: all messages of our crates.
    Details,
    /// A line for each request, each delivery, each refusal.
    Requests,
    /// `-q`: only what an operator should look at.
    Warnings,
}

impl Verbosity {
    fn shown(self) -> Targets {
        match self {
            Self::Details => Targets::new()
                .with_default(LevelFilter::INFO)
                .with_targets(["gatepost", "delivery", "examples", "host"].map(debugged)),
            Self::Requests => Targets::new().with_default(LevelFilter::INFO),
            Self::Warnings => Targets::new().with_default(LevelFilter::WARN),
        }
    }
}

fn debugged(target: &'static str) -> (&'static str, LevelFilter) {
    (target, LevelFilter::DEBUG)
}

/// Starts logging and the export of spans.
///
/// # Errors
/// If `RUST_LOG` cannot be understood.
pub(crate) fn begin(verbosity: Verbosity, traces: Option<&Traces>) -> Result<(), Failure> {
    let shown = match variable(FILTER) {
        Some(text) => asked_for(&text)?,
        None => verbosity.shown(),
    };
    let lines = fmt::layer()
        .compact()
        .with_ansi(io::stderr().is_terminal() && variable(NO_COLOURS).is_none())
        .with_writer(io::stderr)
        // If the standard error is closed, nothing can be reported about it.
        .log_internal_errors(false)
        .with_filter(shown);
    registry()
        .with(lines)
        .with(traces.map(Traces::layer))
        .init();
    Ok(())
}

/// Reads the variable's value; PostgreSQL's driver logs its statements only if it is named.
fn asked_for(text: &str) -> Result<Targets, Failure> {
    let shown: Targets = text.parse().map_err(|error| {
        Failure::usage(format!(
            "{FILTER}: {error}; expected is such as warn,gatepost_engine=debug"
        ))
    })?;
    let is_named = text.contains(DRIVER);
    let quiet = shown.default_level() > Some(LevelFilter::INFO) && !is_named;
    Ok(match quiet {
        true => shown.with_target(DRIVER, LevelFilter::INFO),
        false => shown,
    })
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
