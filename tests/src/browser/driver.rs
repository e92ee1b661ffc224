//! Actions of a person with a browser.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::prelude::*;
use tokio::sync::Mutex;

use super::site::{PASSWORD, Site};
use super::start::{Look, open, paint};

/// The number of tries of an action whose page may disappear.
const AGAIN: usize = 20;
/// One browser at a time, because each needs a core.
static TURN: Mutex<()> = Mutex::const_new(());

/// A browser window with its own history and cookies, both empty.
#[derive(Clone, Debug)]
pub struct Browser {
    /// The session, for actions without a method here.
    pub driver: WebDriver,
    base: String,
}

impl Browser {
    /// Runs a test in a browser, and closes the browser even if the test fails.
    ///
    /// # Panics
    /// If the test does.
    pub async fn run<F>(site: &Site, look: Look, test: impl FnOnce(Self) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let _turn = TURN.lock().await;
        let browser = Self::open(&site.url(""), look).await;
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

    /// Opens a browser for the site at this address, such as `http://127.0.0.1:8080`. The caller
    /// must close it.
    ///
    /// # Panics
    /// If no browser starts.
    pub async fn open(base: &str, look: Look) -> Self {
        Self {
            driver: open(look).await,
            base: base.to_owned(),
        }
    }

    /// Makes the browser visit another site with another look; whether scripts run takes effect at
    /// the next page.
    pub async fn visit(&self, site: &Site, look: Look) -> Self {
        paint(&self.driver, look).await;
        let scripts = json!({"value": !look.scripts});
        self.devtools("Emulation.setScriptExecutionDisabled", scripts)
            .await;
        Self {
            driver: self.driver.clone(),
            base: site.url(""),
        }
    }

    /// Ends the browser.
    ///
    /// # Panics
    /// If it does not.
    pub async fn close(self) {
        self.driver.quit().await.unwrap();
    }

    /// Sends a command of the browser's own protocol.
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

    /// Returns the path, query and fragment of the current address.
    pub async fn path(&self) -> String {
        let url = self.driver.current_url().await.unwrap().to_string();
        url.strip_prefix(&self.base).unwrap_or(&url).to_owned()
    }

    /// Returns the first element of this kind; waits for it at most fifteen seconds.
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

    /// Returns whether an element of this kind is visible now.
    pub async fn shows(&self, css: &str) -> bool {
        match self.driver.find(By::Css(css)).await {
            Ok(element) => element.is_displayed().await.unwrap_or(false),
            Err(_) => false,
        }
    }

    /// Replaces the value of a field.
    pub async fn fill(&self, css: &str, text: &str) {
        for _ in 0..AGAIN {
            let field = self.see(css).await;
            // An element of the previous page no longer exists by then: look again.
            if field.clear().await.is_ok() && field.send_keys(text).await.is_ok() {
                return;
            }
        }
        panic!("{css} takes no text");
    }

    /// Presses a button, follows a link, ticks a box.
    pub async fn click(&self, css: &str) {
        for _ in 0..AGAIN {
            let element = self.see(css).await;
            if element.scroll_into_view().await.is_ok() && element.click().await.is_ok() {
                return;
            }
        }
        panic!("{css} cannot be pressed");
    }

    /// Presses a button and waits until its page has been left.
    pub async fn turn(&self, css: &str) {
        let old = self.see("main").await;
        self.click(css).await;
        for _ in 0..300 {
            if old.tag_name().await.is_err() {
                self.see("main").await;
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{css} leads nowhere");
    }

    /// Chooses from a list with the keyboard, as users do without scripts.
    pub async fn choose(&self, css: &str, text: &str) {
        self.see(css).await.send_keys(text).await.unwrap();
    }

    /// Presses a key; the focused element receives it.
    pub async fn press(&self, keys: impl Into<TypingData>) {
        self.driver
            .active_element()
            .await
            .unwrap()
            .send_keys(keys)
            .await
            .unwrap();
    }

    /// Returns the text of an element.
    pub async fn text(&self, css: &str) -> String {
        for _ in 0..AGAIN {
            if let Ok(text) = self.see(css).await.text().await {
                return text;
            }
        }
        panic!("{css} has no text");
    }

    /// Returns the value of a field.
    pub async fn value(&self, css: &str) -> String {
        for _ in 0..AGAIN {
            if let Ok(value) = self.see(css).await.prop("value").await {
                return value.unwrap_or_default();
            }
        }
        panic!("{css} has no value");
    }

    /// Waits until an element shows this text, at most twenty seconds.
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

    /// Runs a script in the page and returns its result.
    pub async fn script(&self, code: &str) -> Value {
        let answer = self.driver.execute(code, Vec::new()).await.unwrap();
        answer.json().clone()
    }

    /// Returns the current markup in the browser.
    pub async fn source(&self) -> String {
        self.driver.source().await.unwrap()
    }

    /// Returns the browser's complaints since the last call: refused scripts and styles, errors of
    /// scripts, failed requests except those with an expected status.
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

    /// Returns the network's events since the last call, as text.
    pub async fn network(&self) -> Vec<String> {
        let log = self.driver.get_log("performance").await.unwrap();
        log.into_iter().map(|entry| entry.message).collect()
    }

    /// Takes a picture of the whole page, in `tests/screenshots`.
    pub async fn shot(&self, name: &str) {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("screenshots");
        self.picture(&folder.join(format!("{name}.png"))).await;
    }

    /// Takes a picture of the whole page, as a PNG file.
    ///
    /// # Panics
    /// If it cannot be taken or written.
    pub async fn picture(&self, file: &Path) {
        let metrics = self.devtools("Page.getLayoutMetrics", json!({})).await;
        let size = &metrics["cssContentSize"];
        let clip =
            json!({"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1});
        self.clipped(file, clip).await;
    }

    /// Takes a picture of the top of the page, as a PNG file.
    ///
    /// # Panics
    /// If it cannot be taken or written.
    pub async fn picture_of_the_top(&self, file: &Path, width: u32, height: u32) {
        let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": 1});
        self.clipped(file, clip).await;
    }

    async fn clipped(&self, file: &Path, clip: Value) {
        use base64::Engine as _;
        let how = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let picture = self.devtools("Page.captureScreenshot", how).await;
        let picture = base64::engine::general_purpose::STANDARD
            .decode(picture["data"].as_str().unwrap())
            .unwrap();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, picture).unwrap();
    }
}
