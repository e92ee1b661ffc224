//! Why the platform does not start or stops: one line that a person can act on.

use std::error::Error;
use std::process::ExitCode;
use std::{fmt, io};

/// The exit status for a wrong command line, as most programs have it.
const USAGE: u8 = 2;

type Cause = Box<dyn Error + Send + Sync>;

/// An action that failed, the chain of its causes, and advice.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    cause: Option<Cause>,
    advice: Option<String>,
    usage: bool,
}

impl Failure {
    /// Creates a failure of the command line, or of a variable, that cannot be understood.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            cause: None,
            advice: Some("see --help".into()),
            usage: true,
        }
    }

    /// Creates a failure of an action, with its cause.
    pub(crate) fn new(what: impl Into<String>, cause: impl Into<Cause>) -> Self {
        Self {
            what: what.into(),
            cause: Some(cause.into()),
            advice: None,
            usage: false,
        }
    }

    /// Adds advice on what to try.
    pub(crate) fn advise(mut self, advice: Option<String>) -> Self {
        self.advice = advice;
        self
    }

    /// Returns 2 for a wrong command line, 1 for everything else.
    pub(crate) fn exit_code(&self) -> ExitCode {
        if self.usage {
            USAGE.into()
        } else {
            ExitCode::FAILURE
        }
    }
}

/// `cannot do this: for that reason: because of that (try this)`
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.what.clone();
        let mut next: Option<&(dyn Error + 'static)> =
            self.cause.as_deref().map(|cause| cause as _);
        while let Some(error) = next {
            let text = plain(error);
            // Some errors repeat their cause.
            if !said.contains(&text) {
                said = format!("{said}: {text}");
            }
            next = error.source();
        }
        if let Some(advice) = &self.advice {
            said = format!("{said} ({advice})");
        }
        // A path or a certificate may hold anything.
        said.chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .try_for_each(|c| fmt::Write::write_char(f, c))
    }
}

/// Returns the text without the number of the system's error and without its capital, which would
/// not fit into a sentence.
fn plain(error: &(dyn Error + 'static)) -> String {
    let text = error.to_string();
    let text = match text.split_once(" (os error ") {
        Some((before, after)) => format!("{before}{}", after.split_once(')').unwrap_or_default().1),
        None => text,
    };
    let os = error.downcast_ref::<io::Error>();
    if os.is_none_or(|error| error.raw_os_error().is_none()) {
        return text;
    }
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// Adds the failed action to an error.
pub(crate) trait InWords<T> {
    /// `cannot read the file x`, as an error that ends the program.
    fn in_words(self, what: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T, E: Into<Cause>> InWords<T> for Result<T, E> {
    fn in_words(self, what: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(what(), error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_errors_stand_in_a_sentence() {
        let error = io::Error::from_raw_os_error(98);
        let failure = Failure::new("cannot listen on 127.0.0.1:80", error);
        let failure = failure.advise(Some("try another".into()));
        let expected = "cannot listen on 127.0.0.1:80: address already in use (try another)";
        assert_eq!(failure.to_string(), expected);
    }

    #[test]
    fn failure_cause_is_shown_once_on_one_line() {
        let cause = io::Error::other("in\nthe middle");
        let failure = Failure::new("it broke", io::Error::other(cause));
        assert_eq!(failure.to_string(), "it broke: in the middle");
    }
}
