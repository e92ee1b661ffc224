//! Passwords of the example platform: given, or made at the first start; stored as hashes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::tempdir;
use tests::platform::PlatformProcess;

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");
const USERS: [&str; 6] = ["admin", "tina", "ulf", "vera", "uma", "wanda"];

fn start(data: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .arg("--data")
        .arg(data)
        .env_remove("GATEPOST_ADMIN_PASSWORD");
    command
}

/// Returns the status of a call of the API as this user.
async fn login(platform: &PlatformProcess, user: &str, password: &str) -> u16 {
    let request = platform.request("GET", "/api/v4/system");
    let answer = request
        .basic_auth(user, Some(password))
        .send()
        .await
        .unwrap();
    answer.status().as_u16()
}

/// Regression: a first start makes them, prints them once, and stores their hashes, so that they
/// stay.
#[tokio::test]
async fn first_start_creates_password_for_every_role() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    let first = PlatformProcess::run(&mut start(&data));
    let passwords = USERS.map(|user| first.password_of(user).unwrap());
    assert!(first.stop());
    let second = PlatformProcess::run(&mut start(&data));
    for (user, password) in USERS.iter().zip(&passwords) {
        assert_eq!(second.password_of(user), None, "printed once");
        assert_eq!(login(&second, user, password).await, 200, "{user}");
    }
    assert_eq!(
        login(&second, "vera", &passwords[0]).await,
        401,
        "another user's"
    );
    let kept = fs::read_to_string(data.join("passwords")).unwrap();
    for password in &passwords {
        assert!(!kept.contains(password.as_str()));
    }
    assert_eq!(kept.matches("$argon2id$").count(), USERS.len());
}

/// From the environment and from a file; it is valid from then on, and is not printed.
#[tokio::test]
async fn the_administrators_password_need_not_be_an_argument() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    let by_environment =
        PlatformProcess::run(start(&data).env("GATEPOST_ADMIN_PASSWORD", "from the air"));
    assert_eq!(login(&by_environment, "admin", "from the air").await, 200);
    assert!(
        !by_environment
            .said
            .iter()
            .any(|line| line.contains("from the air"))
    );
    assert!(by_environment.stop());

    let file = folder.path().join("password");
    fs::write(&file, "from a file\n").unwrap();
    let by_file = PlatformProcess::run(start(&data).arg("--admin-password-file").arg(&file));
    assert_eq!(login(&by_file, "admin", "from a file").await, 200);
    assert_eq!(login(&by_file, "admin", "from the air").await, 401);
    assert!(by_file.stop());

    let kept = PlatformProcess::run(&mut start(&data));
    assert_eq!(login(&kept, "admin", "from a file").await, 200, "as it was");
    assert_eq!(kept.password_of("admin"), None);
}

#[test]
fn a_password_that_is_none_is_refused() {
    let folder = tempdir().unwrap();
    let empty = folder.path().join("empty");
    fs::write(&empty, "\n").unwrap();
    for file in [&empty, &folder.path().join("nosuch")] {
        let mut command = start(&folder.path().join("data"));
        let output = command
            .arg("--admin-password-file")
            .arg(file)
            .output()
            .unwrap();
        assert!(!output.status.success(), "{output:?}");
    }
}

/// In memory everything is new at each start.
#[tokio::test]
async fn in_memory_passwords_are_made_each_time() {
    let folder = tempdir().unwrap();
    let started = || {
        let mut command = start(Path::new("memory"));
        PlatformProcess::run(command.current_dir(folder.path()))
    };
    let (first, second) = (started(), started());
    assert_ne!(first.password_of("ulf"), second.password_of("ulf"));
    let password = second.password_of("ulf").unwrap();
    assert_eq!(login(&second, "ulf", &password).await, 200);
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is left behind"
    );
}

/// For any umask; wider permissions are reported and left as they are.
#[test]
fn data_files_are_readable_only_by_owner() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    let mut command = Command::new("sh");
    let script = r#"umask 000; exec "$0" "$@""#;
    command.args(["-c", script, PROGRAM, "--tls-self-signed", "--data"]);
    let first = PlatformProcess::run(command.arg(&data));
    assert!(first.stop());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for file in [
        "passwords",
        "seal.key",
        "sealed-under",
        "cert.pem",
        "cert.key",
    ] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
    fs::set_permissions(data.join("cert.key"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    let complaints = folder.path().join("complaints");
    let script = r#"exec 2>"$1"; shift; exec "$0" "$@""#;
    let mut command = Command::new("sh");
    command.args(["-c", script, PROGRAM]).arg(&complaints);
    // Its standard error is a file here.
    let second = PlatformProcess::run(command.arg("--tls-self-signed").arg("--data").arg(&data));
    assert!(second.stop());
    let complaints = fs::read_to_string(complaints).unwrap();
    assert!(
        complaints.contains("cert.key has the mode 0644"),
        "{complaints}"
    );
    assert!(
        complaints.contains("data has the mode 0755"),
        "{complaints}"
    );
    assert_eq!(mode(&data.join("cert.key")), 0o644);
}

/// Clients that trust the certificate continue to do so.
#[test]
fn the_certificate_stays_the_same() {
    let folder = tempdir().unwrap();
    let mut pems = Vec::new();
    for _ in 0..2 {
        let platform = PlatformProcess::run(start(folder.path()).arg("--tls-self-signed"));
        assert!(platform.stop());
        pems.push(fs::read_to_string(folder.path().join("cert.pem")).unwrap());
    }
    assert_eq!(pems[0], pems[1]);
}
