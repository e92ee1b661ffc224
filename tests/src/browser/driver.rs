//! Debian's Chromium, driven through WebDriver (packages `chromium` and `chromium-driver`). Where they are missing the
//! test fails.

use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::prelude::*;
use tokio::sync::Mutex;

use super::site::{PASSWORD, Site};

/// How the browser is set up.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The width of the window, in pixels.
    pub width: u32,
    /// Whether pages are asked to be dark.
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

/// A window of its own, without history or cookies.
#[derive(Debug, Clone)]
pub struct Browser {
    /// The session, for what is not offered here.
    pub driver: WebDriver,
    base: String,
}

/// One at a time: a browser takes a core.
static TURN: Mutex<()> = Mutex::const_new(());

impl Browser {
    /// Runs a test in a browser, and closes the browser also if the test fails.
    ///
    /// # Panics
    /// If the test does.
    pub async fn run<F>(site: &Site, look: Look, test: impl FnOnce(Self) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let _turn = TURN.lock().await;
        let browser = Self::open(site, look).await;
        let outcome = tokio::spawn(test(browser.clone())).await;
        if outcome.is_err() {
            browser.shot("failed").await;
            eprintln!("at {}", browser.path().await);
        }
        let closed = browser.driver.quit().await;
        if let Err(failed) = outcome {
            std::panic::resume_unwind(failed.into_panic());
        }
        closed.unwrap();
    }

    async fn open(site: &Site, look: Look) -> Self {
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
        let browser = Self {
            driver,
            base: site.url(""),
        };
        let size =
            json!({"width": look.width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        browser
            .devtools("Emulation.setDeviceMetricsOverride", size)
            .await;
        let scheme = if look.dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        browser
            .devtools("Emulation.setEmulatedMedia", features)
            .await;
        browser
    }

    /// A command of the browser's own protocol.
    pub async fn devtools(&self, command: &str, arguments: Value) -> Value {
        self.driver
            .cdp()
            .send_raw(command, arguments)
            .await
            .unwrap()
    }

    /// Logs in through the form, coming from a page of the console.
    pub async fn login(&self, user: &str) {
        self.goto("/console/").await;
        self.fill("[name=user]", user).await;
        self.fill("[name=password]", PASSWORD).await;
        self.click("button").await;
        self.see("nav[aria-label=Console]").await;
    }

    /// Opens a page of the site.
    pub async fn goto(&self, path: &str) {
        self.driver
            .goto(format!("{}{path}", self.base))
            .await
            .unwrap();
    }

    /// Where the browser is: path, query and fragment.
    pub async fn path(&self) -> String {
        let url = self.driver.current_url().await.unwrap().to_string();
        url.strip_prefix(&self.base).unwrap_or(&url).to_owned()
    }

    /// The first element of this kind; waits for it fifteen seconds at the most.
    pub async fn see(&self, css: &str) -> WebElement {
        for _ in 0..300 {
            if let Ok(element) = self.driver.find(By::Css(css)).await
                && element.is_displayed().await.unwrap_or(false)
            {
                return element;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{css} is not to be seen at {}", self.path().await);
    }

    /// Whether there is an element of this kind to be seen now.
    pub async fn shows(&self, css: &str) -> bool {
        match self.driver.find(By::Css(css)).await {
            Ok(element) => element.is_displayed().await.unwrap_or(false),
            Err(_) => false,
        }
    }

    /// Replaces what a field holds.
    pub async fn fill(&self, css: &str, text: &str) {
        let field = self.see(css).await;
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Presses a button, follows a link, ticks a box.
    pub async fn click(&self, css: &str) {
        let element = self.see(css).await;
        element.scroll_into_view().await.unwrap();
        element.click().await.unwrap();
    }

    /// Chooses from a list, by the keyboard, as one does without scripts.
    pub async fn choose(&self, css: &str, text: &str) {
        self.see(css).await.send_keys(text).await.unwrap();
    }

    /// Presses a key with whatever has the focus.
    pub async fn press(&self, keys: impl Into<TypingData>) {
        self.driver
            .active_element()
            .await
            .unwrap()
            .send_keys(keys)
            .await
            .unwrap();
    }

    /// The text of an element.
    pub async fn text(&self, css: &str) -> String {
        loop {
            // An element of the page before is gone by now: look again.
            if let Ok(text) = self.see(css).await.text().await {
                return text;
            }
        }
    }

    /// What a field holds.
    pub async fn value(&self, css: &str) -> String {
        loop {
            if let Ok(value) = self.see(css).await.prop("value").await {
                return value.unwrap_or_default();
            }
        }
    }

    /// Waits until an element shows this text; twenty seconds at the most.
    pub async fn until(&self, css: &str, text: &str) {
        let mut last = String::new();
        for _ in 0..400 {
            if let Ok(element) = self.driver.find(By::Css(css)).await {
                last = element.text().await.unwrap_or_default();
                if last.contains(text) {
                    return;
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{css} shows {last:?}, not {text:?}");
    }

    /// Runs a script in the page and answers what it returns.
    pub async fn script(&self, code: &str) -> Value {
        let answer = self.driver.execute(code, Vec::new()).await.unwrap();
        answer.json().clone()
    }

    /// The markup as the browser has it now.
    pub async fn source(&self) -> String {
        self.driver.source().await.unwrap()
    }

    /// What the browser complained of since it was asked last: refused scripts and styles, errors of scripts, failed
    /// requests but for those with an expected status.
    pub async fn complaints(&self) -> Vec<String> {
        let log = self.driver.get_log("browser").await.unwrap();
        let expected = |text: &str| {
            ["422", "409", "404", "403"]
                .iter()
                .any(|status| text.contains(&format!("status of {status}")))
        };
        log.into_iter()
            .filter(|entry| entry.level != "INFO" && entry.level != "DEBUG")
            .map(|entry| entry.message)
            .filter(|text| !expected(text))
            .collect()
    }

    /// The network's events since it was asked last, as text.
    pub async fn network(&self) -> Vec<String> {
        let log = self.driver.get_log("performance").await.unwrap();
        log.into_iter().map(|entry| entry.message).collect()
    }

    /// A picture of the whole page, in `tests/screenshots`.
    pub async fn shot(&self, name: &str) {
        let whole = json!({"format": "png", "captureBeyondViewport": true});
        self.picture(name, whole).await;
    }

    /// A picture of the top of the page, half as large, as the front page of the project has it.
    pub async fn small_shot(&self, name: &str) {
        let clip = json!({"x": 0, "y": 0, "width": 1200, "height": 760, "scale": 0.5});
        self.picture(name, json!({"format": "png", "clip": clip}))
            .await;
    }

    async fn picture(&self, name: &str, how: Value) {
        use base64::Engine as _;
        let picture = self.devtools("Page.captureScreenshot", how).await;
        let picture = base64::engine::general_purpose::STANDARD
            .decode(picture["data"].as_str().unwrap())
            .unwrap();
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), picture).unwrap();
    }
}

/// Where the driver of this process listens. It ends with the process, even if that is killed.
fn driver_url() -> String {
    static DRIVER: OnceLock<(String, ChildStdin)> = OnceLock::new();
    let (url, _) = DRIVER.get_or_init(|| {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
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
