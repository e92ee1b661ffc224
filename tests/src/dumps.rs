//! Dumps of PostgreSQL, and databases into which they are restored.

use std::io::Write as _;
use std::process::Stdio;

use crate::postgres::{FreshSchema, server_command};

/// Returns the dump of a schema by `pg_dump`, in its own format.
pub fn dump(place: &FreshSchema) -> Vec<u8> {
    let schema = format!("--schema={}", place.schema);
    run("pg_dump", &["--format=custom", &schema], &place.url, &[])
}

/// Restores a dump by `pg_restore` into the database of this URL, in one transaction.
pub fn restore(url: &str, dump: &[u8]) {
    let options = ["--exit-on-error", "--single-transaction"];
    run("pg_restore", &options, url, dump);
}

/// Carries out statements by `psql`.
pub fn sql(url: &str, statements: &str) {
    let options = ["--quiet", "--set=ON_ERROR_STOP=1"];
    run("psql", &options, url, statements.as_bytes());
}

/// Creates an empty database of this name on the server of a URL; returns its URL.
pub fn new_database(url: &str, name: &str) -> String {
    sql(url, &format!("CREATE DATABASE {name} TEMPLATE template0"));
    let mut other = url::Url::parse(url).unwrap();
    other.set_path(name);
    other.into()
}

fn run(program: &str, options: &[&str], url: &str, input: &[u8]) -> Vec<u8> {
    let mut command = server_command(program);
    command.args(options).arg("--dbname").arg(url);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program that ends early has printed the reason.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {said}");
    output.stdout
}
