//! The dependencies of maintenance.

use std::sync::{Arc, Mutex};

use super::leader_state::Led;
use crate::admission::Admission;
use crate::clock::ClockSteps;
use crate::config::Retention;
use crate::core::Core;

#[derive(Debug)]
pub(crate) struct Maintenance {
    pub core: Arc<Core>,
    /// Stored here, so that a step is not forgotten when a part is restarted.
    pub steps: Mutex<ClockSteps>,
    pub retention: Retention,
    pub admission: Arc<Admission>,
    pub led: Mutex<Led>,
}
