//! Webhooks, tasks, events and deliveries, as they are made, read and changed. Who may do so is
//! decided by the caller.

pub(crate) mod allowance;
pub(crate) mod at_once;
pub(crate) mod brought;
pub(crate) mod by_hand;
pub(crate) mod cursor;
pub(crate) mod deliveries;
pub(crate) mod events;
pub(crate) mod fetching;
pub(crate) mod holdup;
pub(crate) mod owners;
pub(crate) mod replays;
pub(crate) mod run_about;
pub(crate) mod targets;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
pub(crate) mod webhooks;

use self::deliveries::Deliveries;
use self::events::Events;
use self::owners::Owners;
use self::replays::Replays;
use self::targets::Targets;
use self::tasks::Tasks;
use self::webhooks::Webhooks;
use crate::activity::Activities;

#[derive(Debug)]
pub(crate) struct Records {
    pub activities: Activities,
    pub webhooks: Webhooks,
    pub tasks: Tasks,
    pub events: Events,
    pub deliveries: Deliveries,
    pub replays: Replays,
    pub owners: Owners,
    pub targets: Targets,
}
