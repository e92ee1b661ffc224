//! The text of statements.

/// The statement in this file of the folder `sql`: `sql!("queue/settle")`.
macro_rules! sql {
    ($file:expr) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/sql/",
            $file,
            ".sql"
        ))
    };
}
