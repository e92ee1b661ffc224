//! The process that is killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::store_location::Place;

/// The work of a child.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    /// Emits and delivers.
    Emit,
    /// Delivers the existing deliveries.
    Work,
    /// Like `Emit`, but acknowledges before it has stored anything: the control that the checks
    /// must find.
    Lie,
    /// Like `Emit`, at a fiftieth of the pace.
    Steady,
    /// Like `Lie`, at a fiftieth of the pace.
    SteadyLie,
}

impl Mode {
    /// All modes.
    const ALL: [Self; 5] = [
        Self::Emit,
        Self::Work,
        Self::Lie,
        Self::Steady,
        Self::SteadyLie,
    ];

    /// Returns the mode with this name.
    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Emit => "emit",
            Self::Work => "work",
            Self::Lie => "lie",
            Self::Steady => "steady",
            Self::SteadyLie => "steady-lie",
        }
    }
}

/// A running child and the lines that it has printed so far.
#[derive(Debug)]
pub struct Child {
    /// The process.
    pub process: std::process::Child,
    says: ChildStdin,
    told: Arc<Mutex<Vec<String>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Child {
    /// Returns the time until it accepts again.
    ///
    /// # Panics
    /// If that is longer than `healed`.
    pub async fn pause(&self, healed: Duration) -> Duration {
        let (began, before) = (Instant::now(), self.told().len());
        while self.told().len() == before {
            assert!(
                began.elapsed() < healed,
                "the child does not come back by itself"
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        began.elapsed()
    }

    /// Starts the program `chaos_child`, whose path is given.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(program: &str, place: &Place, mode: Mode, number: u64) -> Self {
        Self::start_in(&mut Command::new(program), place, mode, number)
    }

    /// Starts it in an environment that is set already.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start_in(program: &mut Command, place: &Place, mode: Mode, number: u64) -> Self {
        let mut process = program
            .args([&place.word(), mode.word(), &number.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let says = process.stdin.take().unwrap();
        let told = Arc::new(Mutex::new(Vec::new()));
        let (lines, into) = (BufReader::new(process.stdout.take().unwrap()), told.clone());
        let reader = std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                into.lock().unwrap().push(line);
            }
        });
        let reader = Some(reader);
        Self {
            process,
            says,
            told,
            reader,
        }
    }

    /// Returns the lines printed so far.
    pub fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }

    /// Sends it a line: `CLOCK` with the number of seconds by which its clock is wrong from now on,
    /// or `ROTATE` with the number of the token that its webhook shows from now on. A child that
    /// has died does not receive it.
    pub fn say(&mut self, line: &str) {
        drop(writeln!(self.says, "{line}"));
    }

    /// Returns how it ended, if it did so by itself.
    ///
    /// # Panics
    /// If the system does not say.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.process.try_wait().unwrap()
    }

    /// Kills it (SIGKILL) and returns all lines that it printed.
    ///
    /// # Panics
    /// If it had ended by itself before.
    pub fn kill(mut self) -> Vec<String> {
        let ended = self.ended();
        assert!(ended.is_none(), "the child ended by itself: {ended:?}");
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        self.told()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
