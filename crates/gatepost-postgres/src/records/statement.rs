//! What the statements that change a record have in common: their end.

/// A statement of `sql/records`, which judges and changes a row and says so in `judged`, `stored`,
/// `log` and `delta`; then what follows from that, and its verdict.
macro_rules! change {
    ($name:literal) => {
        concat!(
            include_str!(concat!("../sql/records/", $name, ".sql")),
            include_str!("../sql/place/changed.sql"),
            include_str!("../sql/records/verdict.sql"),
        )
    };
}
pub(super) use change;
