//! The services behind the door, and how they are put together.

use std::fmt;
use std::sync::Arc;

use apikey_core::{ScopeName, TableName};
use gatepost_engine::Engine;
use gatepost_keys::KeyService;

use crate::audit::{Audit, NoAudit};
use crate::audit_log::AuditLog;
use crate::directory::{Directory, NoDirectory};
use crate::grantable::Grantable;
use crate::tables::AUDIT_LOG;
use crate::turns::Turns;

/// The one door to keys, webhooks, tasks, events and deliveries: [`of`](Self::of) says who is
/// asking, and the [`Actor`](crate::Actor) does what that caller may. Cheap to clone.
#[derive(Clone)]
pub struct Management {
    pub(crate) keys: KeyService,
    pub(crate) engine: Engine,
    pub(crate) audit: Arc<dyn Audit>,
    pub(crate) log: Option<AuditLog>,
    pub(crate) directory: Arc<dyn Directory>,
    pub(crate) grantable: Arc<Grantable>,
    /// At lists.
    pub(crate) turns: Arc<Turns>,
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
            log: None,
            directory: Arc::new(NoDirectory),
            grantable: Arc::default(),
            turns: Arc::default(),
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

    /// Keeps a log of every change, which those may read who may see the record: in the table
    /// `audit_log` of the API and in the console. None by default: it takes room in the store, and
    /// says of users what they did and from where, which a platform must want.
    #[must_use]
    pub fn audit_log(mut self, log: AuditLog) -> Self {
        if let Ok(table) = AUDIT_LOG.parse() {
            Arc::make_mut(&mut self.0.grantable).tables.push(table);
        }
        self.0.log = Some(log);
        self
    }

    /// What the platform's users, objects and tags are called, and which there are to choose from.
    #[must_use]
    pub fn directory(mut self, directory: Arc<dyn Directory>) -> Self {
        self.0.directory = directory;
        self
    }

    /// Tables of the platform's own to which keys can be narrowed, beside ours; none by default.
    #[must_use]
    pub fn tables(mut self, tables: impl IntoIterator<Item = TableName>) -> Self {
        Arc::make_mut(&mut self.0.grantable).tables.extend(tables);
        self
    }

    /// Scopes of the platform's own routes to which keys can be narrowed; none by default. What
    /// they open is the platform's to say, by `AuthLayer::require_scope` or
    /// `Principal::require_scope`.
    #[must_use]
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = ScopeName>) -> Self {
        Arc::make_mut(&mut self.0.grantable).scopes.extend(scopes);
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
            .field("log", &self.log)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}
