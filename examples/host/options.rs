//! The command line, read once, and the rules for its values.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use examples::passwords::{Password, PasswordError};
use examples::private;
use gatepost_ids::trim_pasted;
use lexopt::{Arg, Parser};
use url::Url;

use crate::address::Address;
use crate::data::{Data, folder};
use crate::failure::{Failure, InWords};
use crate::log::Verbosity;
use crate::trust;

/// The environment variable that may hold the administrator's password, instead of the command
/// line.
const PASSWORD_VARIABLE: &str = "GATEPOST_ADMIN_PASSWORD";
/// The default folder of the data, and of the files that are kept next to a database elsewhere.
const FOLDER: &str = "gatepost-data";

/// The request of the command line.
#[derive(Debug)]
pub(crate) enum Asked {
    Help,
    Run(Box<Options>),
    Version,
}

/// Whether the demonstration is wanted: a webhook, a task and an event, and a receiver for them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum WithDemo {
    Always,
    /// With the first start in a new folder, or in memory, and only on a loopback address.
    AtFirst,
    Never,
}

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    pub listen: Address,
    pub data: Data,
    state: Option<PathBuf>,
    seal_key: Option<PathBuf>,
    pub tls: bool,
    pub password: Option<Password>,
    pub metrics: Option<Address>,
    pub traces: Option<Url>,
    pub private_targets: bool,
    /// Certificates in PEM that targets are trusted by, besides the public ones.
    pub trusted: Vec<Vec<u8>>,
    pub unlimited: bool,
    pub demo: WithDemo,
    pub verbosity: Verbosity,
}

impl Options {
    /// Reads the command line, and the administrator's password from its variable.
    ///
    /// # Errors
    /// An option that cannot be understood, by its name. No value of a password is repeated.
    pub(crate) fn parse(mut args: Parser) -> Result<Asked, Failure> {
        let mut options = Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)).into(),
            data: Data::Folder(FOLDER.into()),
            state: None,
            seal_key: None,
            tls: false,
            password: None,
            metrics: None,
            traces: None,
            private_targets: false,
            trusted: Vec::new(),
            unlimited: false,
            demo: WithDemo::AtFirst,
            verbosity: Verbosity::Requests,
        };
        while let Some(arg) = args.next().map_err(refused)? {
            match arg {
                Arg::Short('h') | Arg::Long("help") => return Ok(Asked::Help),
                Arg::Short('V') | Arg::Long("version") => return Ok(Asked::Version),
                arg => options.take(&Taken::of(&arg)?, &mut args)?,
            }
        }
        if options.password.is_none() {
            let given = std::env::var(PASSWORD_VARIABLE).ok();
            options.password = given.as_deref().map(password).transpose()?;
        }
        Ok(Asked::Run(Box::new(options)))
    }

    fn take(&mut self, option: &Taken, args: &mut Parser) -> Result<(), Failure> {
        let mut value = || args.value().map_err(refused);
        match option.0.as_str() {
            "-l" | "--listen" => self.listen = option.address(&value()?)?,
            "-d" | "--data" => {
                self.data = Data::parse(value()?).map_err(|wrong| option.wrong(&wrong))?;
            }
            "--state" => self.state = Some(option.folder(value()?)?),
            "--seal-key-file" => self.seal_key = Some(value()?.into()),
            "--tls-self-signed" => self.tls = true,
            "--admin-password" => self.password = Some(password(&option.text(value()?)?)?),
            "--admin-password-file" => self.password = Some(password_in(value()?.as_ref())?),
            "--metrics-listen" => self.metrics = Some(option.address(&value()?)?),
            "--traces" => self.traces = Some(option.collector(value()?)?),
            "--allow-private-targets" => self.private_targets = true,
            "--trust" => self.trusted.push(trust::roots(value()?.as_ref())?),
            "--unlimited" => self.unlimited = true,
            "--demo" => self.demo = WithDemo::Always,
            "--no-demo" => self.demo = WithDemo::Never,
            "-v" | "--verbose" => self.verbosity = Verbosity::Details,
            "-q" | "--quiet" => self.verbosity = Verbosity::Warnings,
            other => return Err(Failure::usage(format!("unknown option {other}"))),
        }
        Ok(())
    }

    /// Returns whether nothing is kept.
    pub(crate) fn memory(&self) -> bool {
        matches!(self.data, Data::Memory)
    }

    /// Returns the folder of the files that are kept next to the data.
    pub(crate) fn state_folder(&self) -> PathBuf {
        match (&self.state, &self.data) {
            (Some(folder), _) | (None, Data::Folder(folder)) => folder.clone(),
            (None, _) => FOLDER.into(),
        }
    }

    /// Returns the path of a file there.
    pub(crate) fn state(&self, file: &str) -> PathBuf {
        self.state_folder().join(file)
    }

    /// Returns the path of the sealing key.
    pub(crate) fn seal_key(&self) -> PathBuf {
        let named = self.seal_key.clone();
        named.unwrap_or_else(|| self.state("seal.key"))
    }
}

/// An option as it was typed.
struct Taken(String);

impl Taken {
    fn of(arg: &Arg<'_>) -> Result<Self, Failure> {
        Ok(Self(match arg {
            Arg::Short(letter) => format!("-{letter}"),
            Arg::Long(word) => format!("--{word}"),
            // It may be the rest of a password that was not quoted: it is not repeated.
            Arg::Value(_) => return Err(Failure::usage("an argument that belongs to no option")),
        }))
    }

    fn wrong(&self, what: &str) -> Failure {
        Failure::usage(format!("{}: {what}", self.0))
    }

    fn text(&self, value: OsString) -> Result<String, Failure> {
        let text = value.into_string();
        text.map_err(|_| self.wrong("the value is not UTF-8"))
    }

    fn folder(&self, value: OsString) -> Result<PathBuf, Failure> {
        match value.to_str() {
            Some(text) => folder(text).map_err(|wrong| self.wrong(wrong)),
            None => Ok(value.into()),
        }
    }

    fn collector(&self, value: OsString) -> Result<Url, Failure> {
        let url = trim_pasted(&self.text(value)?).parse::<Url>().ok();
        let url = url.filter(|url| url.scheme() == "http" && url.has_host());
        // It may hold a password.
        url.ok_or_else(|| self.wrong("this is no address such as http://127.0.0.1:4318"))
    }

    fn address(&self, value: &OsString) -> Result<Address, Failure> {
        let typed = value.to_string_lossy();
        trim_pasted(&typed).parse().map_err(|_| {
            self.wrong(&format!(
                "{typed:?} is no address with a port, such as 127.0.0.1:8080"
            ))
        })
    }
}

fn refused(error: lexopt::Error) -> Failure {
    Failure::usage(match error {
        // It may be a password.
        lexopt::Error::UnexpectedValue { option, .. } => format!("{option} takes no value"),
        lexopt::Error::MissingValue {
            option: Some(option),
        } => format!("{option} needs a value"),
        other => other.to_string(),
    })
}

fn password_in(file: &Path) -> Result<Password, Failure> {
    let what = || "cannot read the password of admin".to_owned();
    let password = private::read(file).in_words(what)?;
    let none = || format!("{}: no such file", file.display());
    self::password(&password.ok_or_else(none).in_words(what)?)
}

fn password(given: &str) -> Result<Password, Failure> {
    let password = given.parse();
    password
        .map_err(|wrong: PasswordError| Failure::usage(format!("the password of admin {wrong}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(args: &[&str]) -> String {
        let asked = Options::parse(Parser::from_args(args));
        asked
            .err()
            .map(|failure| failure.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn option_value_may_be_separate_or_attached() {
        for args in [
            &["--listen=localhost:1", "--data=memory", "-v"][..],
            &["--listen", "localhost:1", "--data", "memory", "--verbose"],
            &["-l", "localhost:1", "-vdmemory"],
        ] {
            let Ok(Asked::Run(options)) = Options::parse(Parser::from_args(args)) else {
                panic!("{args:?}");
            };
            assert_eq!(options.listen.to_string(), "localhost:1");
            assert_eq!(options.verbosity, Verbosity::Details);
            assert!(options.memory());
        }
    }

    #[test]
    fn invalid_argument_is_named_without_repeating_passwords() {
        let long = "s3cret".repeat(171);
        for (args, said) in [
            (&["--nosuch"][..], "unknown option --nosuch (see --help)"),
            (&["-x"], "unknown option -x (see --help)"),
            (&["--listen"], "--listen needs a value (see --help)"),
            (
                &["--listen", "here"],
                "--listen: \"here\" is no address with a port",
            ),
            (
                &["--traces", "https://a:s3cret@b"],
                "--traces: this is no address such as http://127.0.0.1:4318",
            ),
            (
                &["--data", "mysql://a:s3cret@b/c"],
                "--data: mysql:// is not supported",
            ),
            (
                &["--admin-password", "let", "s3cret"],
                "an argument that belongs to no option",
            ),
            (
                &["--state", "postgres://a:s3cret@b/c"],
                "--state: this looks like a URL or a connection string, not a folder",
            ),
            (
                &["--admin-password", &long],
                "the password of admin is longer than 1024 bytes",
            ),
            (
                &["--admin-password", "s3cret\nx"],
                "the password of admin has a line break or another control character",
            ),
            (
                &["--admin-password", " \n"],
                "the password of admin is empty",
            ),
            (
                &["--trust", "/nosuch.pem"],
                "cannot trust the certificates in /nosuch.pem: ",
            ),
            (&["--trust"], "--trust needs a value (see --help)"),
            (&["--unlimited=s3cret"], "--unlimited takes no value"),
            (&["--admin-password="], "the password of admin is empty"),
            (
                &["--admin-password-file", "/nosuch"],
                "cannot read the password of admin: /nosuch",
            ),
        ] {
            let refusal = refusal(args);
            assert!(refusal.starts_with(said), "{args:?}: {refusal}");
            assert!(!refusal.contains("s3cret"), "{refusal}");
        }
    }
}
