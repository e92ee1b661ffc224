//! The example platform seals by default, and refuses to lose the key.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::tempdir;
use tests::mutual_tls::Authority;
use tests::platform::PlatformProcess;
use tests::world::with;

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");
const SECRET: &str = "correct-horse-battery-staple";

async fn make_webhook(platform: &PlatformProcess) {
    let hook = json!({"name": "w", "url": "https://example.com/", "authorization_type": "bearer", "authorization_value": SECRET});
    assert_eq!(
        platform.call("POST", "webhook_urls", Some(hook)).await.0,
        201
    );
}

async fn has_webhook(platform: &PlatformProcess) {
    let rows = platform
        .rows("webhook_urls?fields=authorization_type")
        .await;
    assert_eq!(rows, json!([{"authorization_type": "bearer"}]));
}

/// Returns whether a file in the folder contains these bytes.
fn holds(folder: &Path, text: &str) -> bool {
    let files = fs::read_dir(folder).unwrap();
    files
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .any(|bytes| {
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        })
}

/// Returns each kind of credential, and the parts of it that no file may contain. Names are not
/// secret: they show that the folder can be searched.
fn secrets() -> Vec<(Value, Vec<String>)> {
    let client = Authority::new().client("tenant");
    let inside = client.key.lines().nth(1).unwrap().to_owned();
    let (signing, basic) = ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "correct:basic");
    vec![
        (
            json!({"authorization_type": "bearer", "authorization_value": SECRET}),
            vec![SECRET.to_owned()],
        ),
        (
            json!({"authorization_type": "basic", "authorization_value": basic}),
            vec![basic.to_owned()],
        ),
        (
            json!({
                "authorization_type": "oauth2", "authorization_value": "correct-client-secret",
                "oauth_token_url": "https://id.example/token", "oauth_client_id": "me",
            }),
            vec!["correct-client-secret".to_owned()],
        ),
        (
            json!({"client_certificate": client.certificate, "client_key": client.key}),
            vec![inside],
        ),
        (
            json!({"signing_secrets": format!("whsec_{signing}")}),
            vec![signing.to_owned()],
        ),
        (
            json!({"headers": "X-Api-Key: correct-header"}),
            vec!["correct-header".to_owned()],
        ),
        (
            json!({"url": "https://example.com/services/correct-path"}),
            vec!["correct-path".to_owned()],
        ),
    ]
}

/// Returns its error text when it does not start.
fn refused(data: &Path, more: &[&str]) -> String {
    let mut command = Command::new(PROGRAM);
    let command = command
        .args(["--listen", "127.0.0.1:0", "--data"])
        .arg(data);
    let output = command.args(more).output().unwrap();
    assert!(!output.status.success(), "it started: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The folder contains no byte of a webhook's secret in plaintext, and the output says where the
/// key is.
#[tokio::test]
async fn platform_seals_by_default_and_prints_key_path() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    let platform = PlatformProcess::start(PROGRAM, &data, &[]);
    make_webhook(&platform).await;
    let key = data.join("seal.key");
    let said = platform.said.join("\n");
    assert!(said.contains(key.to_str().unwrap()), "{said}");
    assert!(!said.contains(fs::read_to_string(&key).unwrap().trim()));
    assert!(platform.stop());
    assert!(!holds(&data, SECRET));
    has_webhook(&PlatformProcess::start(PROGRAM, &data, &[])).await;
}

/// During the run and after the stop, the write-ahead log included.
#[tokio::test]
async fn credentials_are_in_no_file_in_plaintext() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    let platform = PlatformProcess::start(PROGRAM, &data, &["--unlimited"]);
    let mut all = Vec::new();
    for (n, (more, secrets)) in secrets().into_iter().enumerate() {
        let name = format!("webhook-{n}");
        let hook = with(json!({"name": name, "url": "https://127.0.0.1:9/"}), &more);
        let made = platform.call("POST", "webhook_urls", Some(hook)).await;
        assert_eq!(made.0, 201, "{name}: {}", made.1);
        assert!(
            holds(&data, &name),
            "the name of {name} is looked for in vain"
        );
        all.extend(secrets);
    }
    let found = |all: &[String]| -> Vec<String> {
        let found = all.iter().filter(|secret| holds(&data, secret));
        found.cloned().collect()
    };
    assert_eq!(found(&all), [""; 0], "while it runs");
    assert!(platform.stop());
    assert_eq!(found(&all), [""; 0], "when it has stopped");
}

/// A new key would lose all secrets without an error.
#[tokio::test]
async fn missing_sealing_key_is_not_replaced() {
    for named in [false, true] {
        let folder = tempdir().unwrap();
        let data = folder.path().join("data");
        let elsewhere = folder.path().join("key");
        let option = ["--seal-key-file", elsewhere.to_str().unwrap()];
        let more: &[&str] = if named { &option } else { &[] };
        let key = if named {
            elsewhere.clone()
        } else {
            data.join("seal.key")
        };
        let platform = PlatformProcess::start(PROGRAM, &data, more);
        make_webhook(&platform).await;
        assert!(platform.stop());

        let away = folder.path().join("away");
        fs::rename(&key, &away).unwrap();
        let said = refused(&data, more);
        assert!(said.contains(key.to_str().unwrap()), "where it was: {said}");
        assert!(!key.exists(), "no new one is made");
        fs::write(&key, "ab".repeat(32)).unwrap();
        assert!(refused(&data, more).contains("another key"));
        fs::write(&key, "not a key").unwrap();
        assert!(refused(&data, more).contains("64 hexadecimal digits"));
        let other = folder.path().join("other");
        let said = refused(&data, &["--seal-key-file", other.to_str().unwrap()]);
        assert!(
            said.contains(key.to_str().unwrap()) && !other.exists(),
            "{said}"
        );

        fs::rename(&away, &key).unwrap();
        has_webhook(&PlatformProcess::start(PROGRAM, &data, more)).await;
    }
}

/// Also if all files except the database are lost.
#[tokio::test]
async fn sealed_data_without_their_folder_are_refused() {
    let folder = tempdir().unwrap();
    let state = folder.path().join("state");
    let option = ["--state", state.to_str().unwrap()];
    let platform = PlatformProcess::start(PROGRAM, folder.path(), &option);
    make_webhook(&platform).await;
    assert!(platform.stop());
    fs::rename(&state, folder.path().join("away")).unwrap();
    let said = refused(folder.path(), &option);
    assert!(
        said.contains("the data were sealed under a key that is not in"),
        "{said}"
    );
    assert!(!state.join("seal.key").exists() && !state.join("sealed-under").exists());
    fs::remove_dir_all(&state).unwrap();
    fs::rename(folder.path().join("away"), &state).unwrap();
    has_webhook(&PlatformProcess::start(PROGRAM, folder.path(), &option)).await;
}
