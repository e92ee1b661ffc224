//! Where everything is kept, as `--data` names it.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use gatepost_ids::trim_pasted;

/// What may be named.
const KNOWN: &str = "a folder, `memory` or postgres://… are known here";
/// How the files of SQLite are called.
const FILES: [&str; 3] = [".db", ".sqlite", ".sqlite3"];

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
    /// In words, for the URL of anything but PostgreSQL, and for what looks like another kind of
    /// location. What may be a password is not repeated.
    pub(crate) fn parse(typed: OsString) -> Result<Self, String> {
        let Some(text) = typed.to_str().map(trim_pasted) else {
            return Ok(Self::Folder(typed.into()));
        };
        if text == "memory" {
            return Ok(Self::Memory);
        }
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        match scheme.map(str::to_ascii_lowercase).as_deref() {
            Some("postgres" | "postgresql") => Ok(Self::Postgres(DatabaseUrl(text.into()))),
            Some("mysql") => Err(format!("MySQL (mysql://) is not supported: {KNOWN}")),
            _ => match folder(text) {
                Ok(folder) => Ok(Self::Folder(folder)),
                Err(wrong) => Err(format!("{wrong}: {KNOWN}")),
            },
        }
    }
}

/// The folder that a text names.
///
/// # Errors
/// In words, for what may be a location of another kind: a folder of that name would be made, and
/// in a container it would be gone at the next start. With `./` before it, it is a folder. What may
/// be a password is not repeated.
pub(crate) fn folder(typed: &str) -> Result<PathBuf, &'static str> {
    let text = trim_pasted(typed);
    let lower = text.to_ascii_lowercase();
    let is_path = text.starts_with(['/', '.']) && !text.starts_with("//");
    if text.is_empty() {
        Err("it is empty")
    } else if FILES.iter().any(|end| lower.ends_with(end)) && !PathBuf::from(text).is_dir() {
        Err("this looks like a file, not the folder that it is in")
    } else if is_path {
        Ok(text.into())
    } else if lower.trim_matches(':') == "memory" {
        Err("for nothing to be kept write `memory`")
    } else if text.starts_with(['~', '$', '%']) {
        Err("the shell has left ~ or a variable as it is")
    } else if text.contains([':', '@']) || text.contains("//") {
        Err("this looks like a URL, not a folder")
    } else if text.contains('=') {
        Err("this looks like a connection string, not a folder")
    } else {
        Ok(text.into())
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

/// Of a URL with a user or a password, what is behind the last `@` and before its options. All else
/// may be a secret.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.0.rsplit_once('@') {
            Some((secret, place)) if !secret.contains('?') => place.split(['?', '#', ';']).next(),
            _ => None,
        };
        match place {
            Some(place) => write!(f, "postgres://…@{place}"),
            None => f.write_str("postgres://…"),
        }
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
    fn database_is_shown_without_what_precedes_its_host() {
        for (url, shown) in [
            ("postgres://db.example:5433/app", "postgres://…"),
            (
                "postgres://app:s3cret@db:5433/app?sslmode=require",
                "postgres://…@db:5433/app",
            ),
            (
                "postgresql://app@db/app?password=s3cret",
                "postgres://…@db/app",
            ),
            (
                "postgres://app:s3cret@a,b:5433/app",
                "postgres://…@a,b:5433/app",
            ),
            (
                "postgres://app:s3%63ret@/app?host=/run",
                "postgres://…@/app",
            ),
            ("postgres://app:p@s3c/ret@db/app", "postgres://…@db/app"),
            ("postgres://app:s3@c@ret@db/app", "postgres://…@db/app"),
            ("postgres://app:s3#cret@db/app", "postgres://…@db/app"),
            ("postgres://app:s3 cret@db/app", "postgres://…@db/app"),
            // It may be within the password, or in an option.
            ("postgres://app:s3?cret@db/app", "postgres://…"),
            ("postgres://db/app?password=s3c@ret", "postgres://…"),
            ("postgres://app:s3cret", "postgres://…"),
            ("postgres://app:s3cret/app", "postgres://…"),
            ("postgres://db/app;password=s3cret", "postgres://…"),
            (
                " \u{feff}POSTGRES://app:s3cret@db/app\r\n",
                "postgres://…@db/app",
            ),
        ] {
            let Ok(Data::Postgres(database)) = Data::parse(url.into()) else {
                panic!("{url}");
            };
            assert_eq!(database.to_string(), shown, "{url}");
            assert_eq!(format!("{database:?}"), format!("DatabaseUrl({shown})"));
        }
    }

    #[test]
    fn other_databases_are_refused_without_password() {
        for (url, name) in [
            ("mysql://root:s3cret@db/x", "MySQL"),
            ("MARIADB://db/x", "this looks like a URL"),
            ("foo://s3cret", "this looks like a URL"),
            ("app:s3cret@db/x?u=http://", "this looks like a URL"),
        ] {
            let refused = Data::parse(url.into()).unwrap_err();
            assert!(refused.starts_with(name), "{refused}");
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }

    /// In a container a folder of such a name would be gone at the next start, with all data.
    #[test]
    fn location_of_another_kind_is_no_folder() {
        for (typed, said) in [
            ("host=db user=app password=s3cret", "a connection string"),
            ("user = app password = s3cret", "a connection string"),
            ("dbname='app' HOST=db", "a connection string"),
            (
                "Server=db;Database=app;Uid=app;Pwd=s3cret",
                "a connection string",
            ),
            ("password=s3cret", "a connection string"),
            ("postgres//app:s3cret@db/app", "a URL"),
            ("postgres:/app:s3cret@db/app", "a URL"),
            ("postgres:app", "a URL"),
            ("PostgreSQL//db/app", "a URL"),
            ("jdbc:postgresql:app", "a URL"),
            ("sqlite:gatepost", "a URL"),
            ("file:gatepost.db?mode=memory", "a URL"),
            ("app:s3cret@db/app", "a URL"),
            ("app@db.internal/app", "a URL"),
            ("//app:s3cret@db/app", "a URL"),
            ("localhost:5432", "a URL"),
            ("C:\\data", "a URL"),
            ("\"postgres:/db/app\"", "a URL"),
            (":memory:", "write `memory`"),
            ("Memory", "write `memory`"),
            ("memory:", "write `memory`"),
            ("~/data", "the shell"),
            ("$DATABASE_URL", "the shell"),
            ("${DATA}/x", "the shell"),
            ("/data/gatepost.db", "a file"),
            ("gatepost.sqlite3", "a file"),
        ] {
            let refused = Data::parse(typed.into()).unwrap_err();
            assert!(refused.contains(said), "{typed}: {refused}");
            assert!(
                refused.contains("a folder, `memory` or postgres://"),
                "{refused}"
            );
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }

    #[test]
    fn path_is_a_folder_whatever_is_in_it() {
        for (typed, folder) in [
            ("gatepost-data", "gatepost-data"),
            (" gatepost-data\n", "gatepost-data"),
            ("./host=db", "./host=db"),
            ("./a:b", "./a:b"),
            ("../memory:", "../memory:"),
            ("/srv/a:b/c@d", "/srv/a:b/c@d"),
            ("data/memory", "data/memory"),
            ("my data", "my data"),
            ("gatepost.db/", "gatepost.db/"),
        ] {
            match Data::parse(typed.into()) {
                Ok(Data::Folder(read)) => assert_eq!(read, PathBuf::from(folder)),
                other => panic!("{typed}: {other:?}"),
            }
        }
        assert!(matches!(Data::parse("memory\n".into()), Ok(Data::Memory)));
        assert!(
            Data::parse("\u{feff}".into())
                .unwrap_err()
                .starts_with("it is empty")
        );
    }
}
