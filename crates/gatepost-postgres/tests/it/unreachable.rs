//! The reason why there is no connection, for the person who has to correct it.

use std::error::Error as _;

use gatepost_postgres::{PostgresConfig, PostgresStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_postgres::NoTls;

use crate::postgres::TestPostgres;

/// Never contained in an error.
const SECRET: &str = "hunter2";

/// Returns the cause in the error of a database that cannot be opened.
async fn cause(url: &str) -> String {
    let error = PostgresStore::connect(PostgresConfig::url(url)).await;
    let error = error.unwrap_err();
    let said = format!("{error:?}");
    assert!(!said.contains(SECRET), "{said}");
    assert!(error.is_transient(), "{said}");
    error.source().unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreachable_database_error_says_why() {
    // Longer than a label of a name may be: refused without a DNS query.
    let nowhere = "n".repeat(70);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().display();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let web = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = free.local_addr().unwrap().port();
    drop(free);
    let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let server =
        TestPostgres::start_with_tls(&signed.cert.pem(), &signed.signing_key.serialize_pem());
    let port = server.port();
    let asked = TestPostgres::start();
    asked.halt();
    asked.ask_for_password("gatepost");
    asked.run();
    let asked_port = asked.port();
    let plain = TestPostgres::start();
    let plain_port = plain.port();
    let (client, connection) = tokio_postgres::connect(plain.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    for sql in [
        "CREATE DATABASE standby",
        "ALTER DATABASE standby SET default_transaction_read_only = on",
    ] {
        client.batch_execute(sql).await.unwrap();
    }
    for (url, says) in [
        (
            format!("postgres://app:{SECRET}@{nowhere}/app"),
            "failed to lookup address information: ",
        ),
        (
            format!("postgres://app:{SECRET}@127.0.0.1:{closed}/app"),
            "connection refused",
        ),
        (
            format!("host={folder} user=app password={SECRET}"),
            "no such file or directory",
        ),
        (
            format!("postgres://app:{SECRET}@127.0.0.1:{web}/app?sslmode=disable"),
            "error communicating with the server: ",
        ),
        (
            format!("postgres://gatepost:{SECRET}@localhost:{port}/postgres?sslmode=require"),
            "invalid peer certificate: UnknownIssuer",
        ),
        (
            format!("postgres://gatepost@127.0.0.1:{asked_port}/postgres?sslmode=disable"),
            "password missing",
        ),
        (
            format!("postgres://gatepost:{SECRET}@127.0.0.1:{plain_port}/postgres?sslmode=require"),
            "server does not support TLS",
        ),
        (
            format!("postgres://gatepost:{SECRET}@127.0.0.1:{plain_port}/standby"),
            "database does not allow writes",
        ),
    ] {
        let cause = cause(&url).await;
        assert!(cause.contains(says), "{says}: {cause}");
    }
}
