//! The settings that the statements of a store depend on, made on each of its connections.

use std::time::Duration;

/// The settings of every transaction, unless its beginning overrides them. A process that freezes
/// within a transaction keeps its locks for ten seconds. Queue tables are filled and emptied faster
/// than their statistics are updated: every statement has its index, and a plan made while a table
/// was small must not scan the table when it is large.
const SETTINGS: &str = "SET LOCAL idle_in_transaction_session_timeout = 10000; SET LOCAL synchronous_commit = on; \
    SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off; SET LOCAL jit = off; \
    SET LOCAL timezone = 'UTC'";

/// The settings of one store, independent of those that the server, the database, the role or a
/// pooler made for the session: made once for each session or, if sessions belong to a pooler, in
/// each transaction.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The timeout of a statement, in milliseconds; 0 is no limit.
    statement: u128,
    all: String,
    pooled: bool,
}

impl Settings {
    pub(crate) fn new(statement: Duration, lock: Duration, pooled: bool) -> Self {
        let statement = statement.as_millis();
        Self {
            statement,
            pooled,
            all: format!(
                "SET LOCAL statement_timeout = {statement}; SET LOCAL lock_timeout = {}; {SETTINGS}",
                lock.as_millis(),
            ),
        }
    }

    /// Returns the settings of a new connection.
    pub(crate) fn of_session(&self) -> Option<String> {
        let all = self.all.replace("SET LOCAL", "SET");
        (!self.pooled)
            .then(|| format!("{all}; SET default_transaction_isolation = 'read committed'"))
    }

    /// Returns the beginning of a transaction. `begin` is `BEGIN`, optionally with transaction
    /// modes, and optionally with additional settings behind a semicolon.
    pub(crate) fn said(&self, begin: &str) -> String {
        if !self.pooled {
            return begin.to_owned();
        }
        let (begin, own) = begin.split_once(';').unwrap_or((begin, ""));
        let level = match begin.contains("ISOLATION") {
            true => "",
            false => " ISOLATION LEVEL READ COMMITTED",
        };
        format!("{begin}{level}; {};{own}", self.all)
    }

    /// Returns the same with at most this much time for each statement.
    pub(crate) fn said_long(&self, begin: &str, longest: Duration) -> String {
        let longest = match (self.statement, longest.as_millis()) {
            (0, longest) => longest,
            (statement, longest) => statement.min(longest),
        };
        format!(
            "{}; SET LOCAL statement_timeout = {longest}",
            self.said(begin)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_or_a_session_says_its_settings() {
        let settings = Settings::new(Duration::from_secs(30), Duration::from_secs(10), true);
        assert_eq!(settings.of_session(), None);
        let all = &settings.all;
        assert!(
            all.starts_with("SET LOCAL statement_timeout = 30000; SET LOCAL lock_timeout = 10000;")
        );
        for (begin, said) in [
            (
                "BEGIN",
                format!("BEGIN ISOLATION LEVEL READ COMMITTED; {all};"),
            ),
            (
                "BEGIN READ ONLY",
                format!("BEGIN READ ONLY ISOLATION LEVEL READ COMMITTED; {all};"),
            ),
            (
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL jit = on",
                format!(
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {all}; SET LOCAL jit = on"
                ),
            ),
        ] {
            assert_eq!(settings.said(begin), said);
        }
        let settings = Settings::new(Duration::from_secs(30), Duration::from_secs(10), false);
        assert_eq!(settings.said("BEGIN READ ONLY"), "BEGIN READ ONLY");
        let session = settings.of_session().unwrap();
        assert!(session.starts_with("SET statement_timeout = 30000; SET lock_timeout = 10000;"));
        assert!(!session.contains("LOCAL"), "{session}");
    }

    #[test]
    fn long_read_timeout_is_the_stricter_limit() {
        let longest = Duration::from_secs(10);
        for (of_all, said) in [(30, 10_000), (3, 3_000), (0, 10_000)] {
            let settings = Settings::new(Duration::from_secs(of_all), longest, true);
            let begin = settings.said_long("BEGIN; SET LOCAL jit = on", longest);
            let end = format!("; SET LOCAL jit = on; SET LOCAL statement_timeout = {said}");
            assert!(begin.ends_with(&end), "{begin}");
        }
    }
}
