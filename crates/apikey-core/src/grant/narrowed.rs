//! The grant of a key.

use std::sync::Arc;

use super::name::ScopeName;
use super::names::{ScopeNames, TableNames};
use super::not_granted::NotGranted;

/// Of a grant that is not narrowed.
static NO_TABLES: TableNames = TableNames::none();
static NO_SCOPES: ScopeNames = ScopeNames::none();

/// What is done to a table.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum Touch {
    /// Rows are read.
    Read,
    /// Something is created, changed, deleted, or carried out.
    Write,
}

/// What a key may do of what its user may. The powers of the user bound it at every moment (SPEC 1
/// rule 2); a grant can only take from them.
///
/// A key that names no tables and no scopes may do everything, unless it is read-only. One that
/// names any may use what it names, and nothing else: a key for two tables opens none of the
/// platform's own routes, and a key for a scope opens no table.
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
    /// All that the user may: the default.
    #[must_use]
    pub const fn all() -> Self {
        Self(None)
    }

    /// Only these tables and scopes, or everything where none are named; only reading, if
    /// `read_only`.
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

    /// Whether nothing is taken from the user's powers.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the key may only read.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.0.as_ref().is_some_and(|only| only.read_only)
    }

    /// Whether the key names what it may use, be it tables or scopes.
    #[must_use]
    pub fn is_confined(&self) -> bool {
        !self.tables().is_empty() || !self.scopes().is_empty()
    }

    /// The tables that it names.
    #[must_use]
    pub fn tables(&self) -> &TableNames {
        self.0.as_ref().map_or(&NO_TABLES, |only| &only.tables)
    }

    /// The scopes that it names.
    #[must_use]
    pub fn scopes(&self) -> &ScopeNames {
        self.0.as_ref().map_or(&NO_SCOPES, |only| &only.scopes)
    }

    /// Whether the key may do that to a table of this name.
    ///
    /// # Errors
    /// [`NotGranted::Table`]; [`NotGranted::ReadOnly`] of a table that it may read.
    pub fn allows_table(&self, table: &str, touch: Touch) -> Result<(), NotGranted> {
        if self.is_confined() && !self.tables().has(table) {
            return Err(NotGranted::Table(table.into()));
        }
        self.allows_touch(touch)
    }

    /// Whether the key has this scope of the platform's own. Whether it may write there,
    /// [`allows_touch`](Self::allows_touch) says.
    ///
    /// # Errors
    /// [`NotGranted::Scope`].
    pub fn allows_scope(&self, scope: &ScopeName) -> Result<(), NotGranted> {
        if self.is_confined() && !self.scopes().has(scope.as_str()) {
            return Err(NotGranted::Scope(scope.clone()));
        }
        Ok(())
    }

    /// Whether the key may do that to anything at all.
    ///
    /// # Errors
    /// [`NotGranted::ReadOnly`].
    pub fn allows_touch(&self, touch: Touch) -> Result<(), NotGranted> {
        if touch == Touch::Write && self.is_read_only() {
            return Err(NotGranted::ReadOnly);
        }
        Ok(())
    }

    /// Whether the key may do that where no table and no scope is named: only one that is not
    /// confined to some.
    ///
    /// # Errors
    /// [`NotGranted::Elsewhere`], [`NotGranted::ReadOnly`].
    pub fn allows_elsewhere(&self, touch: Touch) -> Result<(), NotGranted> {
        if self.is_confined() {
            return Err(NotGranted::Elsewhere);
        }
        self.allows_touch(touch)
    }

    /// Whether everything that this grant allows is allowed by `other` too. A partial order.
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
