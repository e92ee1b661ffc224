//! A stranger who opens sockets and sends nothing, against the whole platform.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;

use examples::receiver::Receiver;
use serde_json::json;
use tempfile::tempdir;
use tests::platform::{PASSWORD, PlatformProcess};
use tokio::net::{TcpSocket, TcpStream};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");

/// Returns the command of a platform that may open this number of files.
fn limited(files: u32) -> Command {
    let mut command = Command::new("sh");
    let script = format!(r#"ulimit -n {files}; exec "$0" "$@""#);
    command.args(["-c", &script, PROGRAM, "--admin-password", PASSWORD]);
    command
}

async fn connect(server: SocketAddr, from: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    let own = Ipv4Addr::new(127, 0, 0, from);
    socket.bind((own, 0).into()).unwrap();
    socket.connect(server).await.unwrap()
}

/// Regression: 1,000 idle sockets silenced the platform and its deliveries.
#[tokio::test]
async fn idle_sockets_block_neither_platform_nor_deliveries() {
    let folder = tempdir().unwrap();
    let platform = PlatformProcess::run(limited(400).arg("--data").arg(folder.path()));
    let receiver = Receiver::start(None).await.unwrap();
    let url = format!("http://{}/hook", receiver.addr);
    platform
        .make("webhook_urls", json!({"name": "w", "url": url}))
        .await;
    let server = platform
        .base
        .strip_prefix("http://")
        .unwrap()
        .parse()
        .unwrap();
    let mut sockets = Vec::new();
    for socket in 0..450_u32 {
        sockets.push(connect(server, 2 + u8::try_from(socket % 5).unwrap()).await);
    }
    let (status, body) = platform.call("POST", "webhook_urls/1/send", None).await;
    assert_eq!(status, 200, "{body}");
    receiver.wait_for("/hook", 1).await.unwrap();
    let health = platform.request("GET", "/health").send().await.unwrap();
    assert_eq!(health.status(), 200);
    let open = std::fs::read_dir(format!("/proc/{}/fd", platform.pid())).unwrap();
    assert!(open.count() < 200, "half of all is kept back");
}

/// It reports this at the start, and not when the deliveries stop.
#[test]
fn a_limit_that_is_too_low_is_refused() {
    let output = limited(200).args(["--data", "memory"]).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("may open 200 files and needs at least 256"),
        "{said}"
    );
    assert!(said.contains("ulimit -n"), "{said}");
}
