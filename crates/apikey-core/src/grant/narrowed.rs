//! The grant of a key.

use std::sync::Arc;

use super::name::ScopeName;
use super::names::{ScopeNames, TableNames};
use super::not_granted::NotGranted;

/// The tables of a grant that is not narrowed.
static NO_TABLES: TableNames = TableNames::none();
static NO_SCOPES: ScopeNames = ScopeNames::none();

/// The kind of access to a table.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum Access {
    /// Rows are read.
    Read,
    /// Something is created, changed, deleted, or executed.
    Write,
}

/// The part of its user's permissions that a key has. The current permissions of the user always
/// bound it (SPEC 1 rule 2); a grant can only remove permissions.
///
/// A key that names no tables and no scopes may do everything, unless it is read-only. A key that
/// names any may use only those: a key for two tables opens none of the platform's own routes, and
/// a key for a scope opens no table.
///
/// Cheap to clone.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct Grant(Option<Arc<Narrowed>>);

#[derive(Debug, Eq, Hash, PartialEq)]
struct Narrowed {
    read_only: bool,
    tables: TableNames,
    scopes: ScopeNames,
}

impl Grant {
    /// Creates a grant of all permissions of the user: the default.
    #[must_use]
    pub const fn all() -> Self {
        Self(None)
    }

    /// Creates a grant of only these tables and scopes, or of everything if none are named; only
    /// for reading, if `read_only`.
    #[must_use]
    pub fn new(read_only: bool, tables: TableNames, scopes: ScopeNames) -> Self {
        let is_narrowed = read_only || !tables.is_empty() || !scopes.is_empty();
        Self(is_narrowed.then(|| {
            Arc::new(Narrowed {
                read_only,
                tables,
                scopes,
            })
        }))
    }

    /// Returns whether the grant removes nothing from the user's permissions.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether the key may only read.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.0.as_ref().is_some_and(|only| only.read_only)
    }

    /// Returns whether the key names tables or scopes.
    #[must_use]
    pub fn is_confined(&self) -> bool {
        !self.tables().is_empty() || !self.scopes().is_empty()
    }

    /// Returns the named tables.
    #[must_use]
    pub fn tables(&self) -> &TableNames {
        self.0.as_ref().map_or(&NO_TABLES, |only| &only.tables)
    }

    /// Returns the named scopes.
    #[must_use]
    pub fn scopes(&self) -> &ScopeNames {
        self.0.as_ref().map_or(&NO_SCOPES, |only| &only.scopes)
    }

    /// Checks access to the table of this name.
    ///
    /// # Errors
    /// [`NotGranted::Table`]; [`NotGranted::ReadOnly`] for a table that it may only read.
    pub fn allows_table(&self, table: &str, touch: Access) -> Result<(), NotGranted> {
        if self.is_confined() && !self.tables().has(table) {
            return Err(NotGranted::Table(table.into()));
        }
        self.allows_access(touch)
    }

    /// Checks that the key has this scope of the platform. [`allows_access`](Self::allows_access)
    /// checks whether it may write.
    ///
    /// # Errors
    /// [`NotGranted::Scope`].
    pub fn allows_scope(&self, scope: &ScopeName) -> Result<(), NotGranted> {
        if self.is_confined() && !self.scopes().has(scope.as_str()) {
            return Err(NotGranted::Scope(scope.clone()));
        }
        Ok(())
    }

    /// Checks whether the key has this kind of access at all.
    ///
    /// # Errors
    /// [`NotGranted::ReadOnly`].
    pub fn allows_access(&self, touch: Access) -> Result<(), NotGranted> {
        if touch == Access::Write && self.is_read_only() {
            return Err(NotGranted::ReadOnly);
        }
        Ok(())
    }

    /// Checks access to a resource without a table and a scope: only a key that names neither has
    /// it.
    ///
    /// # Errors
    /// [`NotGranted::Elsewhere`], [`NotGranted::ReadOnly`].
    pub fn allows_elsewhere(&self, touch: Access) -> Result<(), NotGranted> {
        if self.is_confined() {
            return Err(NotGranted::Elsewhere);
        }
        self.allows_access(touch)
    }

    /// Returns whether `other` allows everything that this grant allows. A partial order.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        let reads = self.is_read_only() || !other.is_read_only();
        let names = !other.is_confined()
            || self.is_confined()
                && self.tables().are_among(other.tables())
                && self.scopes().are_among(other.scopes());
        reads && names
    }
}
