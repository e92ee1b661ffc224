//! Parameters with an empty `Debug`: the driver logs the parameters of each statement at `debug`.

use std::error::Error;
use std::fmt;

use bytes::BytesMut;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};

type Written = Result<IsNull, Box<dyn Error + Sync + Send>>;

/// A parameter with a hidden value in `Debug`.
pub(super) struct Hidden<'a>(pub(super) &'a (dyn ToSql + Sync));

impl fmt::Debug for Hidden<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

impl ToSql for Hidden<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Written {
        self.0.to_sql_checked(ty, out)
    }

    /// Returns true: the wrapped parameter checks its type when it is written.
    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Written {
        self.0.to_sql_checked(ty, out)
    }

    fn encode_format(&self, ty: &Type) -> Format {
        self.0.encode_format(ty)
    }
}
