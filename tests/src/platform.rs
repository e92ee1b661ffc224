//! The example platform as a separate process.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::world::with;

/// The password of `admin`.
pub const PASSWORD: &str = "let me in";

/// The example platform, running; killed when it is dropped.
#[derive(Debug)]
pub struct PlatformProcess {
    child: Child,
    /// The lines that it printed until it was ready.
    pub said: Vec<String>,
    /// `http://127.0.0.1:12345`
    pub base: String,
    client: Client,
}

impl PlatformProcess {
    /// Starts the program on a free port and waits until it says that it listens. `data` is its
    /// `--data`.
    ///
    /// # Panics
    /// If it does not come up.
    #[must_use]
    pub fn start(program: &str, data: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(["--admin-password", PASSWORD, "--data"]);
        Self::run(command.arg(data).args(more))
    }

    /// Runs the command with the settings of nearly every test: a free port, targets on this
    /// machine, and no records except those that the test makes.
    ///
    /// # Panics
    /// If it does not come up.
    #[must_use]
    pub fn run(command: &mut Command) -> Self {
        let more = ["--allow-private-targets", "--no-demo", "--quiet"];
        Self::launch(command.args(more), Stdio::null())
    }

    /// Runs the command as a user would, on a free port; its log goes to `log`.
    ///
    /// # Panics
    /// If it does not come up.
    #[must_use]
    pub fn launch(command: &mut Command, log: impl Into<Stdio>) -> Self {
        let mut child = command
            .args(["--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut said = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            said.push(line.clone());
            if let Some(base) = line.strip_prefix("listening on ") {
                let base = base.to_owned();
                return Self {
                    child,
                    said,
                    base,
                    client: Client::new(),
                };
            }
        }
        panic!("the platform ended: {:?} after {said:?}", child.wait());
    }

    /// Returns the password that it printed for a user.
    #[must_use]
    pub fn password_of(&self, user: &str) -> Option<String> {
        let start = format!("user {user}, password ");
        let line = self
            .said
            .iter()
            .find_map(|line| line.strip_prefix(&start))?;
        Some(line.split(',').next()?.to_owned())
    }

    /// Returns the lines that it asks to paste, as one script.
    #[must_use]
    pub fn to_paste(&self) -> String {
        let lines = self.said.iter().filter_map(|line| line.strip_prefix("  "));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Runs the script in a shell that has the password of admin in its variable, in another
    /// folder; returns the output, line by line.
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub fn paste(script: &str, password: &str) -> Vec<String> {
        let mut shell = Command::new("sh");
        let shell = shell.args(["-ec", script]).current_dir("/");
        let output = shell.env("GATEPOST_ADMIN_PASSWORD", password).output();
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}\n{text}{wrong}");
        text.lines().map(str::to_owned).collect()
    }

    /// Calls a path after `/api/v4/` as `admin`: returns the status, and the body as JSON (null if
    /// it is none).
    ///
    /// # Panics
    /// If there is no response.
    pub async fn call(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let url = format!("{}/api/v4/{path}", self.base);
        let mut request = self
            .client
            .request(Method::from_bytes(method.as_bytes()).unwrap(), url)
            .basic_auth("admin", Some(PASSWORD));
        if let Some(body) = body {
            request = request.body(body.to_string());
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    /// Returns the rows of a list.
    ///
    /// # Panics
    /// If it is refused.
    pub async fn rows(&self, path: &str) -> Value {
        let (status, rows) = self.call("GET", path, None).await;
        assert_eq!(status, 200, "{path}: {rows}");
        rows
    }

    /// Makes a row and returns its number.
    ///
    /// # Panics
    /// If it is refused.
    pub async fn make(&self, table: &str, row: Value) -> i64 {
        let (status, receipt) = self.call("POST", table, Some(row)).await;
        assert_eq!(status, 201, "{table}: {receipt}");
        receipt["$row"].as_i64().unwrap()
    }

    /// Sends bodies, each with the expected status and a text that a refusal must contain, such as
    /// the field's name.
    ///
    /// # Panics
    /// If a response is another.
    pub async fn judge(&self, method: &str, path: &str, cases: Vec<(Value, u16, &str)>) {
        for (body, status, field) in cases {
            let (got, answer) = self.call(method, path, Some(body.clone())).await;
            let text = answer["err"].as_str().unwrap_or_default();
            let named = status < 400 || text.contains(field);
            assert!(got == status && named, "{path} {body}: {got} {answer}");
        }
    }

    /// Sends the row with one column at a time set to such a value: each is refused by the column's
    /// name.
    pub async fn refuses(&self, table: &str, row: &Value, columns: Vec<(&str, Value)>) {
        for (column, value) in columns {
            let body = with(row.clone(), &json!({column: value}));
            let name = format!("'{column}'");
            self.judge("POST", table, vec![(body, 422, &name)]).await;
        }
    }

    /// Returns a request to any path, without a credential.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        self.client.request(method, format!("{}{path}", self.base))
    }

    /// Returns its process number.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to stop, as a service manager does, and waits; returns whether it ended well.
    ///
    /// # Panics
    /// If it cannot be signalled.
    pub fn stop(mut self) -> bool {
        let pid = self.pid().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &pid])
                .status()
                .unwrap()
                .success()
        );
        self.child.wait().unwrap().success()
    }
}

impl Drop for PlatformProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
