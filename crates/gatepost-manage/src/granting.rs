//! The tables and scopes that a caller can narrow keys to.

use std::sync::Arc;

use apikey_core::{KeyEdit, ScopeName, ScopeNames, TableNames};
use gatepost_storage::keys::KeyRow;

use crate::actor::Actor;
use crate::error::ManageError;

impl Actor {
    /// Returns the tables that a key can be narrowed to: Gatepost's, then the platform's.
    pub fn grantable_tables(&self) -> impl Iterator<Item = &str> {
        self.door.grantable.all_tables()
    }

    /// Returns the platform's scopes that a key can be narrowed to.
    pub fn grantable_scopes(&self) -> impl Iterator<Item = &ScopeName> {
        self.door.grantable.scopes.iter()
    }

    /// Refuses unknown tables and scopes.
    pub(crate) fn check_names(
        &self,
        tables: &TableNames,
        scopes: &ScopeNames,
    ) -> Result<(), ManageError> {
        let checked = self.door.grantable.check(tables, scopes);
        checked.map_err(|error| ManageError::invalid(error.field(), Arc::new(error)))
    }

    /// Refuses unknown tables and scopes, except for those that the key has already.
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
