//! A PgBouncer of the tests, in front of a server of the tests.

use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;

use tokio_postgres::NoTls;

use crate::postgres::{FreshSchema, TestPostgres, free_port};

/// The settings of the store's role: each changes the behaviour of a store that does not make its
/// own settings. The statement timeout applies until a transaction has set its own: the message
/// that does so must arrive in time on a busy machine.
const HOSTILE: &str = "CREATE ROLE app SUPERUSER LOGIN;
    ALTER ROLE app SET search_path = decoy, public;
    ALTER ROLE app SET default_transaction_isolation = serializable;
    ALTER ROLE app SET synchronous_commit = off;
    ALTER ROLE app SET statement_timeout = 5000;
    ALTER ROLE app SET lock_timeout = 1;
    ALTER ROLE app SET idle_in_transaction_session_timeout = 1;
    ALTER ROLE app SET plan_cache_mode = force_custom_plan;
    ALTER ROLE app SET enable_seqscan = on;
    ALTER ROLE app SET jit = on;
    ALTER ROLE app SET timezone = 'Asia/Kathmandu';";

/// The variable that names another PgBouncer than the one in the `PATH`.
const BINARY: &str = "GATEPOST_TEST_PGBOUNCER";

/// A server whose role `app` is hostile, behind a pooler.
pub(crate) struct Pooled {
    pub(crate) server: TestPostgres,
    /// Whether it keeps track of prepared statements, as a store in transaction mode needs.
    pub(crate) knows_statements: bool,
    port: u16,
    /// Closed when this process ends, which ends the pooler.
    _alive: ChildStdin,
}

/// Returns the server and pooler that all tests of this process share.
pub(crate) fn pooled() -> &'static Pooled {
    static SHARED: OnceLock<Pooled> = OnceLock::new();
    SHARED.get_or_init(Pooled::start)
}

impl Pooled {
    fn start() -> Self {
        let server = TestPostgres::start();
        // On a thread without a runtime.
        std::thread::scope(|scope| scope.spawn(|| set(server.url())).join().unwrap());
        let (port, folder) = (free_port(), tempfile::tempdir().unwrap().keep());
        let upstream = server.url().rsplit(':').next().unwrap();
        let upstream = upstream.split('/').next().unwrap();
        let at = format!("host=127.0.0.1 port={upstream} dbname=postgres user=app");
        let knows_statements = version() >= (1, 21);
        let statements = match knows_statements {
            true => "max_prepared_statements = 200\n",
            false => "",
        };
        let settings = format!(
            "[databases]\n\
             transaction = {at} pool_mode=transaction pool_size=20\n\
             session = {at} pool_mode=session pool_size=100\n\
             alone = {at} pool_mode=transaction pool_size=1\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = any\nmax_client_conn = 1000\nserver_idle_timeout = 600\n{statements}"
        );
        let file = folder.join("pgbouncer.ini");
        std::fs::write(&file, settings).unwrap();
        let readable = "chmod 755 \"$1\"; if [ \"$(id -u)\" = 0 ]; then user='-u postgres'; fi; \
             PATH=$PATH:/usr/sbin \"$2\" -q $user \"$1/pgbouncer.ini\" >\"$1/log\" 2>&1 & \
             cat >/dev/null; kill $!; rm -rf \"$1\"";
        #[allow(
            clippy::zombie_processes,
            reason = "it ends after us: that is its purpose"
        )]
        let mut shell = Command::new("sh")
            .args(["-c", readable, "sh"])
            .arg(&folder)
            .arg(binary())
            .process_group(0)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let alive = shell.stdin.take().unwrap();
        let answers = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
        let mut tries = 0;
        while !answers() {
            tries += 1;
            assert!(tries < 500, "PgBouncer (Debian: pgbouncer) does not start");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Self {
            server,
            knows_statements,
            port,
            _alive: alive,
        }
    }

    /// Returns the URL past the pooler, for the hostile role.
    pub(crate) fn direct(&self) -> String {
        self.server.url().replace("gatepost@", "app@")
    }

    /// Returns the mode in which a store can use it: transaction mode, if it tracks statements.
    pub(crate) fn mode(&self) -> &'static str {
        match self.knows_statements {
            true => "transaction",
            false => "session",
        }
    }

    /// Returns the URL of one of its databases: `transaction`, `session`, or `alone` with one
    /// session for all.
    pub(crate) fn url(&self, database: &str) -> String {
        format!(
            "postgres://app@127.0.0.1:{}/{database}?sslmode=disable",
            self.port
        )
    }

    /// Returns a new schema, past the pooler, for a role without settings.
    pub(crate) fn place(&self) -> FreshSchema {
        FreshSchema {
            url: self.server.url().to_owned(),
            schema: crate::postgres::fresh_schema(),
        }
    }
}

fn binary() -> String {
    std::env::var(BINARY).unwrap_or_else(|_| "pgbouncer".into())
}

/// Reads the version from the first line: `PgBouncer 1.18.0`.
fn version() -> (u32, u32) {
    let asked = Command::new("sh")
        .args(["-c", "PATH=$PATH:/usr/sbin \"$0\" --version", &binary()])
        .output();
    let said = String::from_utf8(asked.unwrap().stdout).unwrap();
    let numbers = said.split(|c: char| !c.is_ascii_digit());
    let mut numbers = numbers.filter_map(|number| number.parse().ok());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

fn set(url: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        // The data here is deleted with the server.
        for sql in [
            HOSTILE,
            "ALTER SYSTEM SET fsync = off",
            "SELECT pg_reload_conf()",
        ] {
            client.batch_execute(sql).await.unwrap();
        }
    });
}
