//! Load in addition to the nine: deliveries to a target of every kind, and records that come and
//! go.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tests::hostile::Attacked;
use tests::platform::PlatformProcess;
use tests::soak::targets;
use tokio::time::interval;
use url::Url;

/// The interval between occurrences for all targets that respond.
const PACE: Duration = Duration::from_secs(1);
/// The number of those for each one to the targets that do not respond.
const SLOW: u64 = 60;
/// The machines of the occurrences. The nine and the hostile user act on others.
const QUICK_MACHINE: i64 = 2;
const SLOW_MACHINE: i64 = 3;

/// Runs until it is stopped. The records are tina's: a system administrator changes few of them.
/// The administrator acts on the machines.
///
/// # Panics
/// If a call is refused.
pub(crate) async fn run(attacked: Arc<Attacked>) {
    let platform = attacked.platform();
    let tinas = tinas_key(platform).await;
    let targets = targets::all().await;
    for target in &targets {
        let machine = match target.is_slow() {
            true => SLOW_MACHINE,
            false => QUICK_MACHINE,
        };
        let mut url: Url = target.url.parse().unwrap();
        url.set_host(Some("127.0.0.1")).unwrap();
        route(platform, &tinas, &target.name, url.as_str(), machine).await;
    }
    let mut pace = interval(PACE);
    for second in 0_u64.. {
        pace.tick().await;
        occur(platform, QUICK_MACHINE).await;
        if second.is_multiple_of(SLOW) {
            occur(platform, SLOW_MACHINE).await;
        }
        match second % 10 {
            3 => key_comes_and_goes(platform).await,
            6 => webhook_comes_and_goes(platform, &tinas, second).await,
            _ => {}
        }
    }
}

async fn occur(platform: &PlatformProcess, machine: i64) {
    let path = format!("vms/{machine}/poweron");
    accepted(platform, "POST", &path, Some(json!({}))).await;
}

/// Sends the machine's occurrences to a new webhook, by a new task. Returns their paths.
async fn route(
    platform: &PlatformProcess,
    tinas: &str,
    name: &str,
    url: &str,
    machine: i64,
) -> [String; 2] {
    let lax = name == "self-signed, allowed";
    let hook = json!({"name": name, "url": url, "timeout": 3, "retries": 2, "allow_insecure": lax});
    let hook = make(platform, tinas, "webhook_urls", hook).await;
    let owner = format!("webhook_urls/{hook}");
    let message = json!({"message": r#"{"text": "${NAME}", "n": ${RANDOM}}"#});
    let task = json!({"name": name, "owner": owner, "action": "send", "settings_args": message});
    let task = make(platform, tinas, "tasks", task).await;
    let machine = format!("vms/{machine}");
    let event = json!({"task": task, "table": "vms", "event": "poweron", "owner": machine});
    make(platform, tinas, "task_events", event).await;
    [owner, format!("tasks/{task}")]
}

/// Creates, edits and deletes a key.
async fn key_comes_and_goes(platform: &PlatformProcess) {
    let key = json!({"user": 1, "name": "passing"});
    let (status, made) = platform.call("POST", "user_api_keys", Some(key)).await;
    assert_eq!(status, 201, "{made}");
    let path = format!("user_api_keys/{}", made["$row"]);
    let edit = json!({"description": "edited"});
    accepted(platform, "PUT", &path, Some(edit)).await;
    accepted(platform, "DELETE", &path, None).await;
}

/// Creates, pauses, resumes and deletes a webhook with its records.
async fn webhook_comes_and_goes(platform: &PlatformProcess, tinas: &str, second: u64) {
    let name = format!("passing {second}");
    let [hook, task] = route(platform, tinas, &name, "http://127.0.0.1:1/", QUICK_MACHINE).await;
    occur(platform, QUICK_MACHINE).await;
    for action in ["pause", "resume"] {
        with_key(platform, tinas, "POST", &format!("{hook}/{action}"), None).await;
    }
    with_key(platform, tinas, "DELETE", &task, None).await;
    with_key(platform, tinas, "DELETE", &hook, None).await;
}

async fn tinas_key(platform: &PlatformProcess) -> String {
    let key = json!({"user": 2, "name": "churn"});
    let (status, made) = platform.call("POST", "user_api_keys", Some(key)).await;
    assert_eq!(status, 201, "{made}");
    made["key"].as_str().unwrap().to_owned()
}

async fn make(platform: &PlatformProcess, key: &str, table: &str, row: Value) -> i64 {
    let made = with_key(platform, key, "POST", table, Some(row)).await;
    made["$row"].as_i64().unwrap()
}

/// Calls the API with somebody's key, which must be accepted.
async fn with_key(
    platform: &PlatformProcess,
    key: &str,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Value {
    let request = platform.request(method, &format!("/api/v4/{path}"));
    let body = body.map_or_else(String::new, |body| body.to_string());
    let answer = request.bearer_auth(key).body(body).send().await.unwrap();
    let status = answer.status();
    let text = answer.text().await.unwrap();
    assert!(status.is_success(), "{method} {path}: {status} {text}");
    serde_json::from_str(&text).unwrap_or_default()
}

async fn accepted(platform: &PlatformProcess, method: &str, path: &str, body: Option<Value>) {
    let (status, answer) = platform.call(method, path, body).await;
    assert!(status < 300, "{method} {path}: {status} {answer}");
}
