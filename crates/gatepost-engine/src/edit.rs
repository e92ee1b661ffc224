//! An edit is applied to the row as it is now; if somebody else was faster, once more.

/// Reads a row, applies an edit, stores it; again if the row was changed in between.
/// `$at_most` is how much the owner of the edited row may have.
macro_rules! edit {
    (
        $core:expr,
        $read:ident,
        $update:ident,
        $error:expr,
        $id:expr,
        |$row:ident| $apply:expr,
        $at_most:expr
    ) => {{
        let core = &$core;
        for _ in 0..$crate::edit::TRIES {
            let mut $row = core
                .store
                .$read($id)
                .await?
                .ok_or($crate::error::EngineError::NotFound)?;
            $apply;
            let (at_most, now) = ($at_most, core.clock.now()?);
            match core.store.$update(&$row, at_most, now).await {
                Err(error) if error.kind() == gatepost_storage::ErrorKind::Stale => continue,
                other => return other.map_err($error),
            }
        }
        Err($crate::error::EngineError::Contended)
    }};
}
pub(crate) use edit;

/// How often an edit that meets another one is applied again.
pub(crate) const TRIES: usize = 8;
