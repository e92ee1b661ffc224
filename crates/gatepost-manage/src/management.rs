//! The services behind the door, and how they are put together.

use std::fmt;
use std::sync::Arc;

use gatepost_engine::Engine;
use gatepost_keys::KeyService;

use crate::audit::{Audit, NoAudit};
use crate::directory::{Directory, NoDirectory};

/// The one door to keys, webhooks, tasks, events and deliveries: [`of`](Self::of) says who is
/// asking, and the [`Actor`](crate::Actor) does what that caller may. Cheap to clone.
#[derive(Clone)]
pub struct Management {
    pub(crate) keys: KeyService,
    pub(crate) engine: Engine,
    pub(crate) audit: Arc<dyn Audit>,
    pub(crate) directory: Arc<dyn Directory>,
}

/// Sets up a [`Management`].
#[derive(Debug)]
pub struct ManagementBuilder(Management);

impl Management {
    /// Starts with the two services. Without more there is no audit log, and rows of the platform
    /// have no names.
    #[must_use]
    pub fn builder(keys: KeyService, engine: Engine) -> ManagementBuilder {
        ManagementBuilder(Self {
            keys,
            engine,
            audit: Arc::new(NoAudit),
            directory: Arc::new(NoDirectory),
        })
    }
}

impl ManagementBuilder {
    /// Who receives a record of every change.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn Audit>) -> Self {
        self.0.audit = audit;
        self
    }

    /// What the platform's users, objects and tags are called, and which there are to choose from.
    #[must_use]
    pub fn directory(mut self, directory: Arc<dyn Directory>) -> Self {
        self.0.directory = directory;
        self
    }

    /// The door.
    #[must_use]
    pub fn build(self) -> Management {
        self.0
    }
}

impl fmt::Debug for Management {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Management")
            .field("engine", &self.engine)
            .field("audit", &self.audit)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}
