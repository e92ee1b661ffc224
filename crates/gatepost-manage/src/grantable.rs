//! The tables and scopes that keys can be narrowed to: Gatepost's tables, and those of the
//! platform.

use apikey_core::{ScopeName, ScopeNames, TableName, TableNames};

use crate::tables::{DELIVERIES, EVENTS, KEYS, TASKS, WEBHOOKS};

/// The tables of Gatepost.
const TABLES: [&str; 5] = [KEYS, WEBHOOKS, DELIVERIES, TASKS, EVENTS];

/// The tables and scopes that the platform named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grantable {
    pub(crate) tables: Vec<TableName>,
    pub(crate) scopes: Vec<ScopeName>,
}

/// The error for unknown tables or scopes. Its text lists the existing ones.
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
    /// Returns the field, by its name on the wire.
    pub(crate) fn field(&self) -> &'static str {
        match self {
            Self::Tables(_) => "tables",
            Self::NoScopes | Self::Scopes(_) => "scopes",
        }
    }
}

impl Grantable {
    /// Returns all tables: Gatepost's, then the platform's.
    pub(crate) fn all_tables(&self) -> impl Iterator<Item = &str> {
        let platform = self.tables.iter().map(TableName::as_str);
        TABLES.into_iter().chain(platform)
    }

    /// Refuses unknown names: a key with a misspelled one would have fewer permissions than
    /// intended.
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
