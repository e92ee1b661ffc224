//! The environment of a store that is opened again.

use std::sync::Arc;

use crate::harness::{Harness, Webhooks};

pub(super) type Home = Arc<dyn Harness<Webhooks>>;
