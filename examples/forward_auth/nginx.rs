//! The program's own nginx, in a temporary folder.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};

const CONFIG: &str = include_str!("nginx.conf");
/// How long it may take to start, in steps.
const STEPS: usize = 500;
const STEP: Duration = Duration::from_millis(20);

/// A running nginx; ends when this is dropped.
pub(crate) struct Nginx {
    /// The address at which it listens.
    pub(crate) server: SocketAddr,
    process: Child,
}

impl Nginx {
    /// Starts nginx on a free port, with the configuration in this folder.
    ///
    /// # Errors
    /// `NotFound` if nginx is not installed; an error if it does not start.
    pub(crate) async fn start(
        folder: &Path,
        judge: SocketAddr,
        orders: SocketAddr,
    ) -> io::Result<Self> {
        let free = TcpListener::bind("127.0.0.1:0").await?;
        let server = free.local_addr()?;
        let config = CONFIG
            .replace("127.0.0.1:8080", &server.to_string())
            .replace("127.0.0.1:9000", &judge.to_string())
            .replace("127.0.0.1:9001", &orders.to_string());
        let file = folder.join("nginx.conf");
        std::fs::write(&file, config)?;
        drop(free);
        let process = Command::new(program()?)
            .args(["-e", "stderr", "-p"])
            .arg(folder)
            .arg("-c")
            .arg(file)
            // One process, which ends with this program.
            .args(["-g", "master_process off;"])
            .stdin(Stdio::null())
            .spawn()?;
        let mut nginx = Self { server, process };
        for _ in 0..STEPS {
            if TcpStream::connect(server).await.is_ok() {
                return Ok(nginx);
            }
            if let Some(status) = nginx.process.try_wait()? {
                return Err(io::Error::other(format!("nginx ended: {status}")));
            }
            tokio::time::sleep(STEP).await;
        }
        Err(io::Error::other("nginx does not listen"))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Finds nginx: distributions install it in a folder that only administrators have in `PATH`.
fn program() -> io::Result<&'static str> {
    let places = ["nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx"];
    places
        .into_iter()
        .find(|program| {
            let tried = Command::new(program)
                .arg("-v")
                .stderr(Stdio::null())
                .status();
            tried.is_ok_and(|status| status.success())
        })
        .ok_or_else(|| io::ErrorKind::NotFound.into())
}
