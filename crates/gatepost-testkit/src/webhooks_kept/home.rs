//! The environment of a store that is opened again.

use std::sync::Arc;

use crate::harness::{Harness, Webhooks};
use crate::outcome::Outcome;

pub(super) type Home = Arc<dyn Harness<Webhooks>>;

pub(super) const NOT_DURABLE: Outcome = Outcome::Ignored("not durable");
