//! A client in another language, with nothing but its standard library, drives every table of the
//! example platform.

use std::path::Path;
use std::process::Command;

use tempfile::tempdir;
use tests::platform::{PASSWORD, PlatformProcess};

fn drive(options: &[&str]) {
    let folder = tempdir().unwrap();
    // The administrator's changes are paced otherwise.
    let options = &[options, &["--unlimited"]].concat();
    let platform = PlatformProcess::start(env!("CARGO_BIN_EXE_host"), folder.path(), options);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python_client/client.py");
    let mut python = Command::new("python3");
    python
        .arg("-B")
        .arg(script)
        .arg(&platform.base)
        .arg(format!("admin:{PASSWORD}"));
    if !options.is_empty() {
        python.arg(folder.path().join("cert.pem"));
    }
    let output = python.output().unwrap();
    let (said, failed) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success() && said.trim() == "all as it should be",
        "{said}\n{failed}"
    );
}

#[test]
fn a_python_client_drives_every_table() {
    drive(&[]);
}

/// The client trusts only the certificate that the platform writes.
#[test]
fn a_python_client_drives_every_table_over_tls() {
    drive(&["--tls-self-signed"]);
}
