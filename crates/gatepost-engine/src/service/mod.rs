//! What the roof calls: webhooks, tasks, events, deliveries. Who may call it is decided there.

mod deliveries;
mod events;
mod example;
mod tasks;
mod webhooks;

pub use deliveries::TestSend;
pub use example::Example;

/// An edit that meets another one is applied again so many times.
const TRIES: usize = 8;

/// Reads a row, applies an edit, stores it; again if somebody else was faster.
macro_rules! edit {
    ($self:ident, $read:ident, $update:ident, $error:expr, $id:expr, |$row:ident| $apply:expr) => {{
        let inner = &$self.inner;
        for _ in 0..$crate::service::TRIES {
            let mut $row = inner
                .store
                .$read($id)
                .await?
                .ok_or($crate::error::EngineError::NotFound)?;
            $apply;
            match inner.store.$update(&$row, inner.now()).await {
                Err(error) if error.kind() == gatepost_storage::ErrorKind::Stale => continue,
                other => return other.map_err($error),
            }
        }
        Err(gatepost_storage::StoreError::new(
            gatepost_storage::ErrorKind::Unavailable,
            "the row is being edited by others",
        )
        .into())
    }};
}
pub(crate) use edit;
