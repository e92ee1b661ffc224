//! TLS to the server: on, verified, and refused if it is not possible.
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::webhooks::RecordStore;
use gatepost_testkit::fixtures::{UNLIMITED, at, webhook};

use crate::postgres::TestPostgres;

async fn connect(url: &str, root: &str) -> Result<PostgresStore, gatepost_storage::StoreError> {
    PostgresStore::connect(PostgresConfig::url(url).with_extra_roots_pem(root.as_bytes())).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_certificate_is_verified_by_root_and_name() {
    let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let stranger = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let server =
        TestPostgres::start_with_tls(&signed.cert.pem(), &signed.signing_key.serialize_pem());
    let url = |host: &str, mode: &str| {
        server
            .url()
            .replace("127.0.0.1", host)
            .replace("sslmode=disable", &format!("sslmode={mode}"))
    };

    for mode in ["require", "verify-full", "prefer"] {
        let store = connect(&url("localhost", mode), &signed.cert.pem())
            .await
            .unwrap();
        store
            .insert_webhook(&webhook(mode), UNLIMITED, at(0))
            .await
            .unwrap();
        store.close().await;
    }
    let (client, connection) = tokio_postgres::connect(server.url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let store = connect(&url("localhost", "require"), &signed.cert.pem())
        .await
        .unwrap();
    let plain = client
        .query_one("SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'gatepost' AND NOT ssl", &[])
        .await
        .unwrap();
    assert_eq!(
        plain.get::<_, i64>(0),
        0,
        "every connection of ours is encrypted"
    );
    drop(store);

    for mode in ["require", "prefer"] {
        let unknown = connect(&url("localhost", mode), &stranger.cert.pem()).await;
        assert!(unknown.unwrap_err().is_transient(), "another root, {mode}");
        let misnamed = connect(&url("127.0.0.1", mode), &signed.cert.pem()).await;
        assert!(misnamed.is_err(), "another name, {mode}");
    }
    connect(&url("127.0.0.1", "disable"), "").await.unwrap();
}

#[tokio::test]
async fn server_without_tls_is_refused_if_required() {
    let server = TestPostgres::start();
    let url = server.url().replace("sslmode=disable", "sslmode=require");
    assert!(connect(&url, "").await.is_err());
    let garbage = connect(
        server.url(),
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    )
    .await;
    assert_eq!(
        garbage.unwrap_err().kind(),
        gatepost_storage::ErrorKind::Invalid
    );
}
