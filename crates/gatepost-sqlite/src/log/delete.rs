//! The deletion of deliveries.

use gatepost_storage::webhooks::DeliveryId;
use rusqlite::Connection;

use super::snapshot::Look;
use crate::batch::forget_claims;
use crate::deliveries::{remove, shrunk, waiting};
use crate::error::{Failure, Result};

pub(super) fn delete(c: &Connection, id: DeliveryId) -> Result<()> {
    let look = Look::new(c)?;
    if look.find(id.0)?.is_none() {
        return Err(Failure::not_found("delivery"));
    }
    waiting::remove(c, id.0)?;
    forget_claims(c, |member| member.delivery == id.0)?;
    let bytes = remove(c, id.0)?;
    shrunk(c, bytes)
}
