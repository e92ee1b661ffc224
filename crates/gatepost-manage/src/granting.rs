//! What a caller can narrow keys to.

use std::sync::Arc;

use apikey_core::{KeyEdit, ScopeName, ScopeNames, TableNames};
use gatepost_storage::keys::KeyRow;

use crate::actor::Actor;
use crate::error::ManageError;

impl Actor {
    /// The tables that a key can be narrowed to: ours, then the platform's.
    pub fn grantable_tables(&self) -> impl Iterator<Item = &str> {
        self.door.grantable.all_tables()
    }

    /// The platform's scopes that a key can be narrowed to.
    pub fn grantable_scopes(&self) -> impl Iterator<Item = &ScopeName> {
        self.door.grantable.scopes.iter()
    }

    /// Refuses names of tables and scopes that there are not.
    pub(crate) fn check_names(
        &self,
        tables: &TableNames,
        scopes: &ScopeNames,
    ) -> Result<(), ManageError> {
        let checked = self.door.grantable.check(tables, scopes);
        checked.map_err(|error| ManageError::invalid(error.field(), Arc::new(error)))
    }

    /// As [`check_names`](Self::check_names). What the key names already may stay, though the
    /// platform no longer has it.
    pub(crate) fn check_edit(
        &self,
        row: Option<&KeyRow>,
        edit: &KeyEdit,
    ) -> Result<(), ManageError> {
        let (tables, scopes) = (edit.tables.clone(), edit.scopes.clone());
        let (tables, scopes) = (tables.unwrap_or_default(), scopes.unwrap_or_default());
        let Err(refused) = self.check_names(&tables, &scopes) else {
            return Ok(());
        };
        let grant = &row.ok_or(ManageError::NotFound)?.key.grant;
        let stays = tables.are_among(grant.tables()) && scopes.are_among(grant.scopes());
        if stays { Ok(()) } else { Err(refused) }
    }
}
