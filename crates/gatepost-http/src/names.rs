//! Names of the host's own rows, for joins such as `user#name` and `owner#$display`.

use std::fmt;

use async_trait::async_trait;

/// Knows what the host's users and objects are called.
#[async_trait]
pub trait Names: fmt::Debug + Send + Sync + 'static {
    /// The name of a row: `("users", 1)`, `("vms", 3)`; `None` when there is none. A join of it is
    /// then left out.
    async fn name(&self, table: &str, key: i64) -> Option<String>;
}

/// Knows no names: the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNames;

#[async_trait]
impl Names for NoNames {
    async fn name(&self, _table: &str, _key: i64) -> Option<String> {
        None
    }
}
