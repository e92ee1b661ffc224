//! The present time, and whether the clock was set.

mod engine_clock;
mod steps;

pub(crate) use engine_clock::EngineClock;
pub(crate) use steps::ClockSteps;
