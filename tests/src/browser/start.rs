//! Starts Debian's Chromium, driven through WebDriver (packages `chromium` and `chromium-driver`).
//! If they are missing the test fails.

use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::json;
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::prelude::*;

use crate::postgres::free_port;

/// The settings of a browser.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The width of the window, in pixels.
    pub width: u32,
    /// Whether pages must be dark.
    pub dark: bool,
    /// Whether scripts run.
    pub scripts: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            width: 1200,
            dark: false,
            scripts: true,
        }
    }
}

/// Opens a new browser with these settings.
pub(super) async fn open(look: Look) -> WebDriver {
    let mut wanted = DesiredCapabilities::chrome();
    for argument in [
        "--headless=new",
        "--disable-gpu",
        "--hide-scrollbars",
        "--disable-dev-shm-usage",
        "--lang=en",
    ] {
        wanted.add_arg(argument).unwrap();
    }
    if is_root() {
        wanted.add_arg("--no-sandbox").unwrap();
    }
    if !look.scripts {
        let prefs = json!({"profile.managed_default_content_settings.javascript": 2});
        wanted.add_experimental_option("prefs", prefs).unwrap();
    }
    let logs = json!({"browser": "ALL", "performance": "ALL"});
    wanted.set("goog:loggingPrefs", logs).unwrap();
    let driver = WebDriver::new(driver_url(), wanted).await.unwrap();
    paint(&driver, look).await;
    driver
}

/// Sets the width and the colour scheme of a browser's pages.
pub(super) async fn paint(driver: &WebDriver, look: Look) {
    let devtools = driver.cdp();
    let size = json!({"width": look.width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
    devtools
        .send_raw("Emulation.setDeviceMetricsOverride", size)
        .await
        .unwrap();
    let scheme = if look.dark { "dark" } else { "light" };
    let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
    devtools
        .send_raw("Emulation.setEmulatedMedia", features)
        .await
        .unwrap();
}

/// Returns the address of this process's driver. The driver ends with the process, even if that is
/// killed.
fn driver_url() -> String {
    static DRIVER: OnceLock<(String, ChildStdin)> = OnceLock::new();
    let (url, _) = DRIVER.get_or_init(|| {
        let port = free_port();
        let watched = format!("chromedriver --port={port} --log-level=WARNING & driver=$!; cat >/dev/null; kill $driver");
        #[allow(clippy::zombie_processes, reason = "it ends after us: that is its purpose")]
        let mut shell = Command::new("sh")
            .args(["-c", &watched])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        for _ in 0..200 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        (format!("http://127.0.0.1:{port}"), shell.stdin.take().unwrap())
    });
    url.clone()
}

fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.starts_with("Uid:\t0\t"))
}
