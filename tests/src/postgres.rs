//! A separate PostgreSQL server for the tests: in a temporary folder, on a free port of 127.0.0.1,
//! with fsync on.
//!
//! It ends with the process that started it, even if that is killed: a shell that waits for the end
//! of its standard input stops the server and removes the folder. Needs the server's binaries
//! (Debian: `postgresql`); if they are missing the test fails.

use std::net::TcpListener;
use std::ops::Range;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rand::RngExt as _;

/// A URL of a server that is already running; [`fresh`] uses it instead of starting one.
pub const URL_VARIABLE: &str = "GATEPOST_TEST_POSTGRES_URL";

/// The variable with the folder of `initdb` and `postgres`, for a version that the distribution
/// does not have.
pub const BINARIES_VARIABLE: &str = "GATEPOST_TEST_POSTGRES_BIN";

/// Ports below those that Linux assigns to programs that ask for any port (from 32768 on), so that
/// a server finds its port free when it starts and when it starts again.
const PORTS: Range<u16> = 20_000..32_000;

/// A server that belongs to one test, which may restart it.
#[derive(Debug)]
pub struct TestPostgres {
    url: String,
    port: u16,
    folder: PathBuf,
    tls: bool,
    environment: OnceLock<Vec<(&'static str, String)>>,
    /// Closed when this is dropped or the process ends, which ends the server.
    _alive: ChildStdin,
}

/// An empty store for a test: a URL, and a schema that nobody else uses.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs, reason = "not published")]
pub struct FreshSchema {
    /// The connection string.
    pub url: String,
    /// The name of the schema, which does not exist yet.
    pub schema: String,
}

/// Creates a new schema on the server that [`URL_VARIABLE`] names, or else on one that all tests of
/// this process share.
///
/// # Panics
/// If no server can be started.
#[must_use]
pub fn fresh() -> FreshSchema {
    static SHARED: OnceLock<TestPostgres> = OnceLock::new();
    let url = match std::env::var(URL_VARIABLE) {
        Ok(url) => url,
        Err(_) => SHARED.get_or_init(TestPostgres::start).url().to_owned(),
    };
    FreshSchema {
        url,
        schema: fresh_schema(),
    }
}

/// Returns the name of a schema that nobody else uses.
#[must_use]
pub fn fresh_schema() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("test_{}_{number}", std::process::id())
}

impl TestPostgres {
    /// Starts a server and waits until it responds.
    ///
    /// # Panics
    /// If there are no binaries or they fail.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(None)
    }

    /// Starts a server like [`start`](Self::start), which speaks TLS with this certificate and key,
    /// both PEM.
    ///
    /// # Panics
    /// If there are no binaries or they fail.
    #[must_use]
    pub fn start_with_tls(certificate: &str, key: &str) -> Self {
        Self::start_with(Some((certificate, key)))
    }

    #[allow(clippy::expect_used, reason = "a test without its server must fail")]
    fn start_with(tls: Option<(&str, &str)>) -> Self {
        let (folder, data) = own_folder();
        expect_success(
            server_command("initdb")
                .args([
                    "--username=gatepost",
                    "--auth=trust",
                    "--encoding=UTF8",
                    "--locale=C",
                    "--no-sync",
                    "--pgdata",
                ])
                .arg(&data),
        );
        if let Some((certificate, key)) = tls {
            own_file(&data.join("server.crt"), certificate);
            own_file(&data.join("server.key"), key);
        }
        Self::run_in(folder, tls.is_some())
    }

    #[allow(clippy::expect_used, reason = "a test without its server must fail")]
    fn run_in(folder: PathBuf, tls: bool) -> Self {
        let (port, data) = (free_port(), folder.join("data"));
        let watchdog = format!(
            "cat >/dev/null; {} stop -m immediate -D '{}' >/dev/null 2>&1; rm -rf '{}'",
            shell_words(&server_command("pg_ctl")),
            data.display(),
            folder.display()
        );
        #[allow(
            clippy::zombie_processes,
            reason = "it ends after us: that is its purpose"
        )]
        let mut shell = Command::new("sh")
            .args(["-c", &watchdog])
            // In its own process group: Ctrl-C ends us, and then it does its work.
            .process_group(0)
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        let alive = shell.stdin.take().expect("the shell's input");
        let server = Self {
            url: format!("postgres://gatepost@127.0.0.1:{port}/postgres?sslmode=disable"),
            port,
            folder,
            tls,
            environment: OnceLock::new(),
            _alive: alive,
        };
        server.run();
        server
    }

    /// Starts a synchronous standby of this server: from its return on, what is committed here is
    /// on the standby's disk before the commit returns.
    ///
    /// # Panics
    /// If `pg_basebackup` fails, or the standby does not start.
    #[must_use]
    #[allow(clippy::expect_used, reason = "a test without its server must fail")]
    pub fn synchronous_standby(&self) -> Self {
        let (folder, data) = own_folder();
        expect_success(
            server_command("pg_basebackup")
                .args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"])
                .args(["--dbname", &self.url, "--pgdata"])
                .arg(&data),
        );
        let standby = Self::run_in(folder, false);
        let sql = |sql: &str| {
            let mut psql = server_command("psql");
            psql.args(["--tuples-only", "--dbname", &self.url, "--command", sql]);
            String::from_utf8_lossy(&expect_success(&mut psql).stdout).into_owned()
        };
        sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
        sql("SELECT pg_reload_conf()");
        let state = "SELECT sync_state FROM pg_stat_replication";
        let streams = std::iter::repeat_with(|| sql(state)).take(1_000);
        let mut streams = streams.inspect(|_| std::thread::sleep(Duration::from_millis(20)));
        assert!(streams.any(|state| state.trim() == "sync"), "no standby");
        standby
    }

    /// Kills the server as the kernel would, without notice to its clients.
    ///
    /// # Panics
    /// If it does not run.
    #[allow(clippy::expect_used, reason = "a test without its server must fail")]
    pub fn kill(&self) {
        let pid = std::fs::read_to_string(self.data().join("postmaster.pid"));
        let pid = pid.expect("the server's process id");
        let pid = pid.lines().next().unwrap_or_default();
        let own = Command::new("pgrep").args(["-P", pid]).output();
        let own = own.expect("pgrep").stdout;
        let own = String::from_utf8_lossy(&own).into_owned();
        expect_success(Command::new("kill").args(["-9", pid]));
        // Processes that have ended by themselves are no failure.
        let _ = Command::new("kill").arg("-9").args(own.lines()).output();
    }

    /// Makes a standby the primary.
    ///
    /// # Panics
    /// If `pg_ctl` fails.
    pub fn promote(&self) {
        expect_success(
            server_command("pg_ctl")
                .args(["promote", "-w", "-D"])
                .arg(self.data()),
        );
    }

    /// Returns its port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the connection string of its superuser.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Ends the server as a crash would (no checkpoint, connections cut) and starts it again.
    ///
    /// # Panics
    /// If it does not come back.
    pub fn crash_and_restart(&self) {
        self.halt();
        self.run();
    }

    /// Ends the server as a crash would.
    ///
    /// # Panics
    /// If `pg_ctl` fails.
    pub fn halt(&self) {
        expect_success(
            server_command("pg_ctl")
                .args(["stop", "-m", "immediate", "-w", "-D"])
                .arg(self.data()),
        );
    }

    /// Starts it after [`halt`](Self::halt).
    ///
    /// # Panics
    /// If `pg_ctl` fails.
    pub fn run(&self) {
        expect_success(&mut self.starting("60"));
    }

    /// Starts a server that may not come up; returns whether it did within three seconds.
    pub fn try_run(&self) -> bool {
        self.starting("3")
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Returns whether it runs.
    pub fn is_up(&self) -> bool {
        let mut status = server_command("pg_ctl");
        status.args(["status", "-D"]).arg(self.data());
        let status = status.stdout(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Adds this to its environment at its next start, and only then.
    pub fn set_environment(&self, environment: &[(&'static str, String)]) {
        let _ = self.environment.set(environment.to_vec());
    }

    /// Returns its own folder, in which its user may read and write.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes this role need its password from the server's next start on.
    ///
    /// # Panics
    /// If its settings cannot be written.
    #[allow(clippy::expect_used, reason = "a test without its server must fail")]
    pub fn ask_for_password(&self, role: &str) {
        let file = self.data().join("pg_hba.conf");
        let trusted = std::fs::read_to_string(&file).expect("who may log in");
        let asked = format!("host all {role} 127.0.0.1/32 scram-sha-256\n{trusted}");
        own_file(&file, &asked);
    }

    fn starting(&self, seconds: &str) -> Command {
        let options = format!(
            "-p {} -k {} -c listen_addresses=127.0.0.1 -c max_connections=200 -c ssl={}",
            self.port,
            self.folder.display(),
            if self.tls { "on" } else { "off" }
        );
        let mut start = server_command("pg_ctl");
        if let Some(environment) = self.environment.get() {
            start.envs(environment.iter().map(|(name, value)| (name, value)));
        }
        start
            .args(["start", "-w", "-t", seconds, "-o", &options, "-D"])
            .arg(self.data())
            .arg("-l")
            .arg(self.folder.join("log"))
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        start
    }

    /// Returns the dump of the whole database by `pg_dump`.
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub fn dump(&self) -> Vec<u8> {
        expect_success(server_command("pg_dump").arg("--dbname").arg(&self.url)).stdout
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }
}

#[allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test without its server must fail"
)]
fn expect_success(command: &mut Command) -> Output {
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("PostgreSQL's binaries");
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        String::from_utf8_lossy(&output.stderr),
        String::from_utf8_lossy(&output.stdout)
    );
    output
}

/// Creates a folder of the server's user, and the path of its data, which does not exist yet.
#[allow(clippy::expect_used, reason = "a test without its server must fail")]
fn own_folder() -> (PathBuf, PathBuf) {
    let folder = tempfile::Builder::new().prefix("gatepost-pg-").tempdir();
    let folder = folder.expect("a temporary folder").keep();
    if is_root() {
        // The server refuses to run as root.
        expect_success(Command::new("chown").arg("postgres").arg(&folder));
    }
    let data = folder.join("data");
    (folder, data)
}

/// Creates a file that only the server's user can read.
#[allow(clippy::expect_used, reason = "a test without its server must fail")]
fn own_file(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file in the server's folder");
    expect_success(Command::new("chmod").arg("600").arg(path));
    if is_root() {
        expect_success(Command::new("chown").arg("postgres").arg(path));
    }
}

/// Returns a command for a binary of the server, run by the user `postgres` if we are root.
pub(crate) fn server_command(name: &str) -> Command {
    let binary = Some(binaries().join(name)).filter(|binary| binary.is_file());
    let binary = binary.unwrap_or_else(|| PathBuf::from(name)); // a client may come from elsewhere
    if is_root() {
        let mut command = Command::new("setpriv");
        command
            .args([
                "--reuid=postgres",
                "--regid=postgres",
                "--clear-groups",
                "--",
            ])
            .arg(binary)
            .current_dir("/tmp");
        command
    } else {
        Command::new(binary)
    }
}

fn shell_words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|w| format!("'{}'", w.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the folder of `initdb`: the one that [`BINARIES_VARIABLE`] names, or else that of
/// `pg_config`, or the newest version that Debian's packages installed.
#[allow(clippy::expect_used, reason = "a test without its server must fail")]
fn binaries() -> PathBuf {
    if let Some(named) = std::env::var_os(BINARIES_VARIABLE) {
        return PathBuf::from(named);
    }
    let told = Command::new("pg_config").arg("--bindir").output().ok();
    let told = told.map(|out| PathBuf::from(String::from_utf8_lossy(&out.stdout).trim()));
    let mut installed: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().map(|v| v.path().join("bin")).collect())
        .unwrap_or_default();
    installed.sort();
    installed
        .into_iter()
        .chain(told)
        .rev()
        .find(|bin| bin.join("initdb").is_file())
        .expect("initdb: PostgreSQL's server is not installed")
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// Returns a free port for a server that a test starts as a process, this one or another.
///
/// # Panics
/// If there is none.
#[must_use]
#[allow(clippy::expect_used, reason = "a test without its server must fail")]
pub fn free_port() -> u16 {
    let mut random = rand::rng();
    let mut tries = std::iter::repeat_with(|| random.random_range(PORTS)).take(1000);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    tries.find(is_free).expect("a free port")
}
