//! The example platform as a program of a terminal: the reason why it does not start is printed in
//! one line, without a secret, and its exit code shows whether the command line was at fault.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use tempfile::tempdir;
use tests::platform::PlatformProcess;
use tests::postgres::TestPostgres;
use tests::refused_address::Refusing;
use tokio_postgres::{Client, NoTls};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");
/// A secret that must not be printed.
const SECRET: &str = "correct-horse-battery";

/// Returns its exit code, and its only line of output.
fn refused(command: &mut Command) -> (i32, String) {
    let output = command.env("RUST_LOG", "error").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 1, "{said}");
    assert!(!said.contains(SECRET), "{said}");
    let line = lines[0].strip_prefix("error: ").unwrap();
    (output.status.code().unwrap(), line.to_owned())
}

fn host(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(args);
    command
}

/// Returns the command of a platform that keeps everything in this folder.
fn on(data: &Path) -> Command {
    let mut command = host(&["--listen", "127.0.0.1:0", "--no-demo", "--data"]);
    command.arg(data);
    command
}

#[test]
fn command_line_error_exits_with_status_2() {
    for (args, says) in [
        (&["--nosuch"][..], "unknown option --nosuch"),
        (&["--listen"], "--listen needs a value"),
        (
            &["--listen", "here"],
            r#"--listen: "here" is no address with a port"#,
        ),
        (
            &["--data=mysql://root:correct-horse-battery@db/x"],
            "--data: mysql:// is not supported",
        ),
        (
            &["--admin-password", "let", SECRET],
            "an argument that belongs to no option",
        ),
        (&["--admin-password="], "the password of admin is empty"),
        (
            &["--data", "host=127.0.0.1 password=correct-horse-battery"],
            "--data: this looks like a URL or a connection string, not a folder",
        ),
        (
            &["--data", "postgres//app:correct-horse-battery@db/x"],
            "--data: this looks like a URL or a connection string, not a folder",
        ),
        (
            &["--data=:memory:"],
            "--data: for nothing to be kept write `memory`",
        ),
    ] {
        let (code, said) = refused(&mut host(args));
        assert_eq!(code, 2, "{args:?}");
        assert!(
            said.starts_with(says) && said.ends_with("(see --help)"),
            "{said}"
        );
    }
    let mut command = host(&["--data", "memory"]);
    let output = command.env("RUST_LOG", "gatepost=loud").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: RUST_LOG: "), "{said}");
}

#[test]
fn help_and_version_are_answers() {
    let said = |option: &str| {
        let output = host(&[option]).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(said("--version"), said("-V"));
    assert!(said("--version").starts_with("host 0."));
    let help = said("--help");
    assert_eq!(help, said("-h"));
    for part in [
        "Usage: host",
        "--seal-key-file FILE",
        "[127.0.0.1:8080]",
        "RUST_LOG",
        "Examples:",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
    assert!(
        help.lines().all(|line| line.chars().count() <= 120),
        "{help}"
    );
    // The reader of the output may leave early.
    let script = format!("'{PROGRAM}' --help | head -n 1");
    assert_eq!(PlatformProcess::paste(&script, "").len(), 1);
}

#[test]
fn an_address_that_cannot_be_had() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    for host in ["127.0.0.1", "localhost"] {
        let address = format!("{host}:{port}");
        let mut command = Command::new(PROGRAM);
        command
            .arg(format!("--listen={address}"))
            .arg("--data")
            .arg(&data);
        let expected = format!(
            "cannot listen on {address}: address already in use (another host? try --listen {host}:0)"
        );
        // `localhost` may have another address, at which the port is free.
        if host == "127.0.0.1" || TcpListener::bind(("::1", port)).is_err() {
            assert_eq!(refused(&mut command), (1, expected));
        }
    }
    let metrics = format!("127.0.0.1:{port}");
    let (code, said) = refused(on(&data).args(["--metrics-listen", &metrics]));
    assert_eq!(code, 1);
    assert!(
        said.starts_with(&format!("cannot listen on {metrics}: ")),
        "{said}"
    );
    let (_, said) = refused(&mut host(&["--listen", "192.0.2.1:80", "--data", "memory"]));
    assert!(
        said.contains("(this machine has no such address)"),
        "{said}"
    );
    assert!(!data.exists(), "nothing was made");
}

#[test]
fn a_name_is_an_address_to_listen_on() {
    let mut command = host(&["--data=memory", "--listen=localhost:0"]);
    let platform = PlatformProcess::run(&mut command);
    assert!(platform.stop());
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let named = |name: &str, code_and_line: (i32, String), says: &str| {
        let (code, said) = code_and_line;
        let file = path(name);
        assert_eq!(code, 1, "{said}");
        assert!(
            said.contains(file.to_str().unwrap()) && said.contains(says),
            "{said}"
        );
    };
    fs::write(path("file"), "").unwrap();
    named(
        "file/below",
        refused(&mut on(&path("file/below"))),
        "cannot use the folder",
    );
    fs::create_dir(path("other")).unwrap();
    fs::write(path("other/gatepost.db"), "no database at all").unwrap();
    named(
        "other/gatepost.db",
        refused(&mut on(&path("other"))),
        "cannot open the database",
    );
    fs::create_dir(path("key")).unwrap();
    fs::write(path("key/seal.key"), SECRET).unwrap();
    named(
        "key/seal.key",
        refused(&mut on(&path("key"))),
        "64 hexadecimal digits",
    );
    fs::create_dir(path("tls")).unwrap();
    fs::write(path("tls/cert.pem"), "no certificate").unwrap();
    fs::write(path("tls/cert.key"), SECRET).unwrap();
    let mut command = on(&path("tls"));
    let refused_tls = refused(command.arg("--tls-self-signed"));
    named("tls/cert.pem", refused_tls, "not a certificate in PEM form");
    let mut command = on(&path("new"));
    let nosuch = command.arg("--admin-password-file").arg(path("nosuch"));
    named("nosuch", refused(nosuch), "no such file");
}

#[test]
fn database_of_newer_version_is_refused() {
    let folder = tempdir().unwrap();
    assert!(PlatformProcess::start(PROGRAM, folder.path(), &[]).stop());
    let database = rusqlite::Connection::open(folder.path().join("gatepost.db")).unwrap();
    database
        .execute("INSERT INTO gatepost_schema (version) VALUES (99)", [])
        .unwrap();
    drop(database);
    let (code, said) = refused(&mut on(folder.path()));
    assert_eq!(code, 1);
    assert!(said.contains("written by a newer version"), "{said}");
}

async fn superuser(server: &TestPostgres) -> Client {
    let (client, connection) = tokio_postgres::connect(server.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Each with the database's URL, but not the password in it.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_opened() {
    let folder = tempdir().unwrap();
    let state = folder.path().to_str().unwrap();
    let says = |url: &str| {
        let args = ["--listen", "127.0.0.1:0", "--state", state, "--data", url];
        let (code, said) = refused(&mut host(&args));
        assert_eq!(code, 1);
        said
    };
    let closed = Refusing::port().addr();
    let said = says(&format!("postgres://app:{SECRET}@{closed}/app"));
    let expected = format!("cannot open the database postgres://…@{closed}/app: ");
    assert!(said.starts_with(&expected), "{said}");
    assert!(said.ends_with("connection refused"), "{said}");

    let server = TestPostgres::start();
    let port = server.port();
    let said = says(&format!(
        "postgres://gatepost:{SECRET}@127.0.0.1:{port}/nosuch"
    ));
    assert!(said.contains("there is no such database"), "{said}");
    let said = says(&format!(
        "postgres://gatepost:{SECRET}@127.0.0.1:{port}/postgres?sslmode=require"
    ));
    assert!(said.contains("TLS"), "{said}");

    let client = superuser(&server).await;
    let row = client.query_one("SHOW hba_file", &[]).await.unwrap();
    let file: String = row.get(0);
    client
        .batch_execute(&format!(
            "CREATE ROLE app LOGIN PASSWORD 'another';
             COPY (VALUES ('host all gatepost all trust'), ('host all all all scram-sha-256')) TO '{file}';
             SELECT pg_reload_conf()"
        ))
        .await
        .unwrap();
    let url = format!("postgres://app:{SECRET}@127.0.0.1:{port}/postgres");
    // The server reads its file after a delay; until then, the user can connect and may do nothing.
    let said = (0..50)
        .map(|_| says(&url))
        .find(|said| said.contains("28P01"));
    assert!(said.unwrap().contains("wrong user or password"));
}
