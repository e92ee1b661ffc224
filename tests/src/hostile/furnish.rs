//! The records of all users before the run begins.

use reqwest::Client;
use serde_json::{Value, json};

use super::targets::TOKEN;
use super::{Addresses, Scene, client};

/// Webhooks that receive each occurrence of machine 1: the administrator's at the ordinary
/// receiver, tina's and ulf's at those that they share with the attacker.
pub(super) const WEBHOOKS: usize = 3;
/// The users whose keys the nine have; the first three may act on machines.
const NINE: [u128; 9] = [1, 1, 1, 2, 3, 5, 2, 3, 6];
/// The user vera.
const HIM: u128 = 4;
const HIS_TASKS: usize = 16;
const HIS_MESSAGE: usize = 64 * 1024;
const HIS_OCCURRENCES: usize = 25;
/// The length of a header that ends the connection of the attacker's target, and of a message that
/// fills it.
const LONG_HEADER: usize = 8_192;
const LONG_MESSAGE: usize = 200_000;
/// Credentials that are parts of the text that replaces a credential.
const CREDENTIALS: [&str; 2] = ["den)", "(hid"];
const PAIRS: usize = 16;

/// One of the nine.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub key: String,
    pub acts: bool,
    /// One client for the whole run: its connection is open when the attack begins.
    pub client: Client,
}

async fn key(scene: &Scene, user: u128, name: &str) -> String {
    let body = json!({"user": user, "name": name});
    let (status, made) = scene
        .platform
        .call("POST", "user_api_keys", Some(body))
        .await;
    assert_eq!(status, 201, "{made}");
    made["key"].as_str().unwrap().to_owned()
}

/// Calls the API with somebody's key.
async fn make(scene: &Scene, key: &str, table: &str, row: Value) -> i64 {
    let request = scene.platform.request("POST", &format!("/api/v4/{table}"));
    let answer = request.bearer_auth(key).body(row.to_string()).send();
    let text = answer.await.unwrap().text().await.unwrap();
    let made: Value = serde_json::from_str(&text).unwrap_or_default();
    made["$row"]
        .as_i64()
        .unwrap_or_else(|| panic!("{table}: {text}"))
}

/// Creates a webhook with tasks that send this message. `event` names the event's table, name and
/// owner.
async fn watch(scene: &Scene, key: &str, hook: Value, event: [&str; 3], tasks: usize, text: &str) {
    let name = hook["name"].as_str().unwrap().to_owned();
    let hook = make(scene, key, "webhook_urls", hook).await;
    let [table, event, object] = event;
    for task in 0..tasks {
        let row = json!({"name": format!("{name} {task}"), "owner": format!("webhook_urls/{hook}"), "action": "send", "settings_args": {"message": text}});
        let task = make(scene, key, "tasks", row).await;
        let event = json!({"task": task, "table": table, "event": event, "owner": object});
        make(scene, key, "task_events", event).await;
    }
}

/// Returns the attacker's key. The attacker has as much as allowed: 20 tasks with large texts, and
/// a log of their deliveries.
pub(super) async fn for_him(scene: &Scene) -> String {
    let his = key(scene, HIM, "his").await;
    let text = "lorem ipsum ".repeat(HIS_MESSAGE / 12);
    let hook = json!({"name": "his", "url": format!("http://{}/his", scene.receiver.addr)});
    let message = json!({"text": text}).to_string();
    let event = ["vms", "poweron", "vms/5"];
    watch(scene, &his, hook, event, HIS_TASKS, &message).await;
    for occurrence in 1..=HIS_OCCURRENCES {
        let acted = scene
            .platform
            .call("POST", "vms/5/poweron", Some(json!({})))
            .await;
        assert_eq!(acted.0, 200, "{}", acted.1);
        // One after the other: their memory is not that of the nine.
        scene.receiver.his(occurrence * HIS_TASKS).await;
    }
    for (hook, message) in his_worst(scene) {
        watch(
            scene,
            &his,
            hook,
            ["users", "login", "users/4"],
            1,
            &message,
        )
        .await;
    }
    his
}

/// Creates webhooks that hurt others on the same connection or process; logins of the attacker are
/// sent to them.
fn his_worst(scene: &Scene) -> [(Value, String); 4] {
    let hook = |name: &str, target: String, headers: &str| json!({"name": name, "url": format!("{target}/{name}"), "headers": headers, "allow_insecure": true, "retries": 10});
    let http2 = format!("https://{}", scene.receiver.http2);
    let http1 = format!("http://{}", scene.receiver.http1);
    let pair = CREDENTIALS.map(|token| format!("{TOKEN}: {token}\n"));
    let pairs = pair.concat().repeat(PAIRS);
    let long = format!("x-long: {}\n", "`".repeat(LONG_HEADER));
    let text = "x".repeat(LONG_MESSAGE);
    // Its target does not read the body, so the next request begins within it.
    let early = "POST /his HTTP/1.1\r\nContent-Length: 100\r\n\r\n";
    [
        (hook("repeated", http2.clone(), &pairs), "{}".to_owned()),
        (hook("ended", http2.clone(), &long), "{}".to_owned()),
        (hook("unread", http2, ""), json!({"text": text}).to_string()),
        (hook("early", http1, ""), early.to_owned()),
    ]
}

/// Creates a key for each of the nine, and webhooks that report when machine 1 is powered on.
pub(super) async fn for_the_nine(scene: &Scene) -> Vec<Member> {
    let mut nine = Vec::new();
    for (number, user) in NINE.into_iter().enumerate() {
        nine.push(Member {
            key: key(scene, user, &format!("one of nine {number}")).await,
            acts: user == 1,
            client: match scene.addresses {
                Addresses::Own => client(1, u8::try_from(number).unwrap() + 1),
                Addresses::His => client(2, 1),
            },
        });
    }
    let receiver = &scene.receiver;
    let targets = [
        (0, format!("http://{}", receiver.addr)),
        (3, format!("https://{}", receiver.http2)),
        (4, format!("http://{}", receiver.http1)),
    ];
    for (member, target) in targets {
        let url = format!("{target}/counted");
        let hook = json!({"name": "w", "url": url, "allow_insecure": true, "retries": 10});
        let event = ["vms", "poweron", "vms/1"];
        let message = r#"{"vm": "${NAME}"}"#;
        watch(scene, &nine[member].key, hook, event, 1, message).await;
    }
    nine
}
