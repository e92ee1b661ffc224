//! `Management` and its builder.

use std::fmt;
use std::sync::Arc;

use apikey_core::{ScopeName, TableName};
use gatepost_engine::Engine;
use gatepost_keys::KeyService;

use crate::audit::{Audit, NoAudit};
use crate::audit_log::AuditLog;
use crate::directory::{Directory, NoDirectory};
use crate::grantable::Grantable;
use crate::list_limiter::Turns;
use crate::tables::AUDIT_LOG;

/// The management of keys, webhooks, tasks, events and deliveries: [`of`](Self::of) returns an
/// [`Actor`](crate::Actor), which carries out what the caller may do. Cheap to clone.
#[derive(Clone)]
pub struct Management {
    pub(crate) keys: KeyService,
    pub(crate) engine: Engine,
    pub(crate) audit: Arc<dyn Audit>,
    pub(crate) log: Option<AuditLog>,
    pub(crate) directory: Arc<dyn Directory>,
    pub(crate) grantable: Arc<Grantable>,
    /// The limit of concurrent lists.
    pub(crate) turns: Arc<Turns>,
}

/// A builder for [`Management`].
#[derive(Debug)]
pub struct ManagementBuilder(Management);

impl Management {
    /// Starts a builder with the two services. By default there is no audit log, and rows of the
    /// platform have no names.
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
    /// Sets the receiver of a record of every change.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn Audit>) -> Self {
        self.0.audit = audit;
        self
    }

    /// Sets an audit log of every change. Users who may see a record may read its changes, in the
    /// table `audit_log` of the API and in the console. None by default: it takes space in the
    /// store, and contains the actions and addresses of users, which the platform must want.
    #[must_use]
    pub fn audit_log(mut self, log: AuditLog) -> Self {
        if let Ok(table) = AUDIT_LOG.parse() {
            Arc::make_mut(&mut self.0.grantable).tables.push(table);
        }
        self.0.log = Some(log);
        self
    }

    /// Sets the directory of the platform's users, objects and tags.
    #[must_use]
    pub fn directory(mut self, directory: Arc<dyn Directory>) -> Self {
        self.0.directory = directory;
        self
    }

    /// Sets the platform's own tables that keys can be narrowed to, in addition to Gatepost's; none
    /// by default.
    #[must_use]
    pub fn tables(mut self, tables: impl IntoIterator<Item = TableName>) -> Self {
        Arc::make_mut(&mut self.0.grantable).tables.extend(tables);
        self
    }

    /// Sets the scopes of the platform's own routes that keys can be narrowed to; none by default.
    /// The platform defines their effect, by `AuthLayer::require_scope` or
    /// `Principal::require_scope`.
    #[must_use]
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = ScopeName>) -> Self {
        Arc::make_mut(&mut self.0.grantable).scopes.extend(scopes);
        self
    }

    /// Builds the management.
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
