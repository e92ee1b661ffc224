//! Where everything is kept, as `--data` names it.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use url::Url;

/// What may be named.
const KNOWN: &str = "a folder, `memory` or postgres://… are known here";

/// A folder, a database elsewhere, or nothing.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// A SQLite file in this folder.
    Folder(PathBuf),
    /// Nothing is kept.
    Memory,
    /// A PostgreSQL database.
    Postgres(DatabaseUrl),
}

impl Data {
    /// What was typed.
    ///
    /// # Errors
    /// In words, for the URL of anything but PostgreSQL. What may be a password is not repeated.
    pub(crate) fn parse(typed: OsString) -> Result<Self, String> {
        let Some(text) = typed.to_str() else {
            return Ok(Self::Folder(typed.into()));
        };
        if text == "memory" {
            return Ok(Self::Memory);
        }
        let Some((scheme, _)) = text.split_once("://") else {
            return if text.is_empty() {
                Err(format!("it is empty: {KNOWN}"))
            } else {
                Ok(Self::Folder(typed.into()))
            };
        };
        match scheme.to_ascii_lowercase().as_str() {
            "postgres" | "postgresql" => Ok(Self::Postgres(DatabaseUrl(text.into()))),
            other => Err(format!("{} is not supported: {KNOWN}", product(other))),
        }
    }
}

fn product(scheme: &str) -> String {
    match scheme {
        "mysql" => "MySQL (mysql://)".into(),
        "mariadb" => "MariaDB (mariadb://)".into(),
        "mongodb" | "mongodb+srv" => format!("MongoDB ({scheme}://)"),
        "mssql" | "sqlserver" => format!("SQL Server ({scheme}://)"),
        "redis" | "rediss" => format!("Redis ({scheme}://)"),
        "sqlite" | "file" => format!("a URL of a file ({scheme}://)"),
        _ if scheme.len() <= 20 => format!("{scheme}://"),
        _ => "that kind of URL".into(),
    }
}

/// A connection string, with its password. It is shown without.
#[derive(Clone)]
pub(crate) struct DatabaseUrl(String);

impl DatabaseUrl {
    /// All of it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

/// User, host, port and database.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(mut url) = Url::parse(&self.0) else {
            return f.write_str("postgres://…");
        };
        // Options may be secrets, too.
        url.set_query(None);
        url.set_fragment(None);
        if url.set_password(None).is_err() && url.password().is_some() {
            return f.write_str("postgres://…");
        }
        f.write_str(url.as_str())
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_shown_without_its_password() {
        for url in [
            "postgres://app:s3cret@db.example:5433/app?sslmode=require",
            "postgresql://app@db/app?password=s3cret",
            "postgres://app:s3cret@a,b:5433/app",
            "postgres://app:s3%63ret@/app?host=/run",
        ] {
            let Ok(Data::Postgres(url)) = Data::parse(url.into()) else {
                panic!("{url}");
            };
            let shown = format!("{url} {url:?}");
            assert!(!shown.contains("cret") && !shown.contains("s3"), "{shown}");
        }
        let url = DatabaseUrl("postgres://app:s3cret@db.example:5433/app?x=y".into());
        assert_eq!(url.to_string(), "postgres://app@db.example:5433/app");
    }

    #[test]
    fn other_databases_are_refused_by_name() {
        for (url, name) in [
            ("mysql://root:s3cret@db/x", "MySQL"),
            ("MARIADB://db/x", "MariaDB"),
            ("sqlite://x.db", "a URL of a file"),
            ("foo://s3cret", "foo://"),
        ] {
            let refused = Data::parse(url.into()).unwrap_err();
            assert!(refused.starts_with(name), "{refused}");
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }
}
