//! The location of all data, as `--data` names it.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use gatepost_ids::trim_pasted;

/// The accepted locations.
const KNOWN: &str = "a folder, `memory` or postgres://… are known here";
/// The endings of SQLite files.
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
    /// Reads the location that was typed.
    ///
    /// # Errors
    /// A sentence, for the URL of anything but PostgreSQL, and for a text that looks like another
    /// kind of location. A possible password is not repeated.
    pub(crate) fn parse(typed: OsString) -> Result<Self, String> {
        let Some(text) = typed.to_str().map(trim_pasted) else {
            return Ok(Self::Folder(typed.into()));
        };
        if text == "memory" {
            return Ok(Self::Memory);
        }
        let Some((scheme, _)) = text.split_once("://") else {
            return match folder(text) {
                Ok(folder) => Ok(Self::Folder(folder)),
                Err(wrong) => Err(format!("{wrong}: {KNOWN}")),
            };
        };
        match scheme.to_ascii_lowercase().as_str() {
            "postgres" | "postgresql" => Ok(Self::Postgres(DatabaseUrl(text.into()))),
            other => Err(format!("{} is not supported: {KNOWN}", product(other))),
        }
    }
}

/// Reads the folder that a text names.
///
/// # Errors
/// A sentence, for a text that looks like a location of another kind: a folder of that name would
/// be made, and in a container it would be lost at the next start. With `./` before it, it is a
/// folder. A possible password is not repeated.
pub(crate) fn folder(typed: &str) -> Result<PathBuf, &'static str> {
    let text = trim_pasted(typed);
    let begins = ["/", "./", "../"];
    let is_path = begins.iter().any(|begin| text.starts_with(begin)) && !text.starts_with("//");
    let lower = text.to_ascii_lowercase();
    if text.is_empty() {
        return Err("it is empty");
    }
    if !is_path && lower.trim_matches(':') == "memory" {
        return Err("for nothing to be kept write `memory`");
    }
    if !is_path && text.starts_with(['~', '$', '%']) {
        return Err("the shell has left ~ or a variable as it is");
    }
    if !is_path && (text.contains([':', '@', '=']) || text.contains("//")) {
        return Err("this looks like a URL or a connection string, not a folder");
    }
    let folder = PathBuf::from(text);
    if FILES.iter().any(|end| lower.ends_with(end)) && !folder.is_dir() {
        return Err("this looks like a file, not the folder that it is in");
    }
    Ok(folder)
}

fn product(scheme: &str) -> String {
    let is_scheme = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    match scheme.len() <= 20 && scheme.bytes().all(is_scheme) {
        true => format!("{scheme}://"),
        false => "that kind of URL".into(),
    }
}

/// A connection string, with its password. It is shown without the password.
#[derive(Clone)]
pub(crate) struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Returns the whole string.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Returns host, port and database, if they can be distinguished from a password, which is
    /// before the last `@`, in any form, or after a `?`.
    fn shown(&self) -> Option<String> {
        let (scheme, rest) = self.0.split_once("://")?;
        let (secret, place) = match rest.rsplit_once('@') {
            Some((secret, place)) => (Some(secret), place),
            None => (None, rest),
        };
        if secret.is_some_and(|secret| secret.contains('?')) {
            return None;
        }
        // Options may be secrets, too.
        let place = place.split(['?', '#', ';', '&']).next()?;
        let hosts = place.split('/').next()?;
        let is_port = |port: &str| port.bytes().all(|b| b.is_ascii_digit());
        let is_host = |host: &str| {
            let (_, behind) = host.rsplit_once(']').unwrap_or(("", host));
            behind.split_once(':').is_none_or(|(_, port)| is_port(port))
        };
        if !hosts.split(',').all(is_host) {
            return None;
        }
        let hidden = if secret.is_some() { "…@" } else { "" };
        Some(format!("{scheme}://{hidden}{place}"))
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown().as_deref().unwrap_or("postgres://…"))
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
            (
                "postgres://db.example:5433/app",
                "postgres://db.example:5433/app",
            ),
            (
                "postgres://app:s3cret@db:5433/app?sslmode=require",
                "postgres://…@db:5433/app",
            ),
            (
                "postgresql://app@db/app?password=s3cret",
                "postgresql://…@db/app",
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
            ("postgres://db/app;password=s3cret", "postgres://db/app"),
            (
                " \u{feff}POSTGRES://app:s3cret@db/app\r\n",
                "POSTGRES://…@db/app",
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
    fn other_databases_are_refused_by_name() {
        for (url, name) in [
            ("mysql://root:s3cret@db/x", "mysql://"),
            ("MARIADB://db/x", "mariadb://"),
            ("sqlite://x.db", "sqlite://"),
            ("foo://s3cret", "foo://"),
            ("app:s3cret@db/x?u=http://", "that kind of URL"),
        ] {
            let refused = Data::parse(url.into()).unwrap_err();
            assert!(refused.starts_with(name), "{refused}");
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }

    /// In a container a folder of such a name would be lost at the next start, with all data.
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
            ("data=1", "a connection string"),
            ("postgres//app:s3cret@db/app", "a URL"),
            ("postgres:/app:s3cret@db/app", "a URL"),
            ("postgres:app", "a URL"),
            ("PostgreSQL//db/app", "a URL"),
            ("jdbc:postgresql:app", "a URL"),
            ("sqlite:gatepost.db", "a URL"),
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
