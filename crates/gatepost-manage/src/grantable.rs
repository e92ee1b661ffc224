//! What keys can be narrowed to: our tables, and the tables and scopes of the platform.

use apikey_core::{ScopeName, ScopeNames, TableName, TableNames};

use crate::tables::{DELIVERIES, EVENTS, KEYS, TASKS, WEBHOOKS};

/// Ours.
const TABLES: [&str; 5] = [KEYS, WEBHOOKS, DELIVERIES, TASKS, EVENTS];

/// What the platform named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grantable {
    pub(crate) tables: Vec<TableName>,
    pub(crate) scopes: Vec<ScopeName>,
}

/// A key would be narrowed to what there is not. The words name what there is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoSuchGrant {
    #[error("must be scopes of this platform, which has none")]
    NoScopes,
    #[error("must be scopes of this platform: {0}")]
    Scopes(String),
    #[error("must be tables of this API: {0}")]
    Tables(String),
}

impl NoSuchGrant {
    /// The field, as it is called on the wire.
    pub(crate) fn field(&self) -> &'static str {
        match self {
            Self::Tables(_) => "tables",
            Self::NoScopes | Self::Scopes(_) => "scopes",
        }
    }
}

impl Grantable {
    /// All tables: ours, then the platform's.
    pub(crate) fn all_tables(&self) -> impl Iterator<Item = &str> {
        let platform = self.tables.iter().map(TableName::as_str);
        TABLES.into_iter().chain(platform)
    }

    /// Refuses names of what there is not: a key that has one by mistake would do less than is
    /// thought.
    pub(crate) fn check(
        &self,
        tables: &TableNames,
        scopes: &ScopeNames,
    ) -> Result<(), NoSuchGrant> {
        let has_table = |name: &TableName| self.all_tables().any(|known| known == name.as_str());
        if !tables.iter().all(has_table) {
            let known: Vec<&str> = self.all_tables().collect();
            return Err(NoSuchGrant::Tables(known.join(", ")));
        }
        if scopes.iter().all(|name| self.scopes.contains(name)) {
            return Ok(());
        }
        let known: Vec<&str> = self.scopes.iter().map(ScopeName::as_str).collect();
        Err(match known[..] {
            [] => NoSuchGrant::NoScopes,
            _ => NoSuchGrant::Scopes(known.join(", ")),
        })
    }
}
