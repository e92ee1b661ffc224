//! A server for the tests of this process, on a free port of the loopback interface, with a
//! database for each test. It ends with the process.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use mysql::prelude::Queryable;
use mysql::{Conn, Opts};
use tempfile::TempDir;

/// Runs the server until its own standard input ends, which it does when the tests do.
const UNTIL_THE_TESTS_END: &str = r#"
    PATH=$PATH:/usr/sbin mariadbd --no-defaults --user="$(id -un)" --datadir="$1" --port="$2" --socket="$1/socket" \
        --bind-address=127.0.0.1 --skip-grant-tables --innodb-log-file-size=64M \
        </dev/null >"$1/log" 2>&1 &
    read -r _
    kill -9 $!; wait $! 2>/dev/null; rm -rf "$1""#;
const ATTEMPTS: u32 = 600;
const PAUSE: Duration = Duration::from_millis(50);

static SERVER: OnceLock<Server> = OnceLock::new();

struct Server {
    port: u16,
    _watched: Child,
}

impl Server {
    fn start() -> Self {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let data = TempDir::new().unwrap().keep();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", UNTIL_THE_TESTS_END, "sh"])
            .arg(&data)
            .arg(port.to_string());
        let watched = shell.stdin(Stdio::piped()).spawn().unwrap();
        let server = Self {
            port,
            _watched: watched,
        };
        let started = (0..ATTEMPTS).any(|_| {
            thread::sleep(PAUSE);
            Conn::new(options(port)).is_ok()
        });
        let log = fs::read_to_string(data.join("log")).unwrap_or_default();
        assert!(started, "no MariaDB (Debian: mariadb-server-core): {log}");
        server
    }
}

/// Returns the URL of the database of a test, and creates the database. A second process of the
/// test finds the server by the port in the folder.
pub(crate) fn database_of(folder: &Path) -> String {
    let file = folder.join("port");
    let port = fs::read_to_string(&file)
        .ok()
        .and_then(|port| port.parse().ok());
    let port = port.unwrap_or_else(|| {
        let port = SERVER.get_or_init(Server::start).port;
        fs::write(file, port.to_string()).unwrap();
        port
    });
    let name = folder.file_name().unwrap().to_str().unwrap();
    let create = format!("CREATE DATABASE IF NOT EXISTS `{name}`");
    Conn::new(options(port))
        .unwrap()
        .query_drop(create)
        .unwrap();
    format!("mysql://root@127.0.0.1:{port}/{name}?prefer_socket=false")
}

/// Returns the whole content of a test's database.
pub(crate) fn rows_of(folder: &Path) -> Vec<u8> {
    let opts = Opts::from_url(&database_of(folder)).unwrap();
    let rows: Vec<(Vec<u8>, Vec<u8>)> = Conn::new(opts)
        .unwrap()
        .query("SELECT k, v FROM gatepost_kv")
        .unwrap();
    rows.into_iter()
        .flat_map(|(key, value)| [key, value].concat())
        .collect()
}

fn options(port: u16) -> Opts {
    Opts::from_url(&format!(
        "mysql://root@127.0.0.1:{port}?prefer_socket=false"
    ))
    .unwrap()
}
