//! What everybody has before it begins.

use reqwest::Client;
use serde_json::{Value, json};

use super::{Addresses, Scene, client};

/// Webhooks that receive each occurrence of machine 1: tina's, ulf's and the administrator's.
pub(super) const WEBHOOKS: usize = 3;
/// The users whose keys the nine have; the first three may act on machines.
const NINE: [i64; 9] = [1, 1, 1, 2, 3, 5, 2, 3, 6];
/// vera.
const HIM: i64 = 4;
const HIS_TASKS: usize = 20;
const HIS_MESSAGE: usize = 64 * 1024;
const HIS_OCCURRENCES: usize = 20;

/// One of the nine.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub key: String,
    pub acts: bool,
    /// The same all the time: its connection is there when he comes.
    pub client: Client,
}

async fn key(scene: &Scene, user: i64, name: &str) -> String {
    let body = json!({"user": user, "name": name});
    let (status, made) = scene
        .platform
        .call("POST", "user_api_keys", Some(body))
        .await;
    assert_eq!(status, 201, "{made}");
    made["key"].as_str().unwrap().to_owned()
}

/// A call with somebody's key.
async fn make(scene: &Scene, key: &str, table: &str, row: Value) -> i64 {
    let request = scene.platform.request("POST", &format!("/api/v4/{table}"));
    let answer = request.bearer_auth(key).body(row.to_string()).send();
    let text = answer.await.unwrap().text().await.unwrap();
    let made: Value = serde_json::from_str(&text).unwrap_or_default();
    made["$row"]
        .as_i64()
        .unwrap_or_else(|| panic!("{table}: {text}"))
}

async fn watch(scene: &Scene, key: &str, path: &str, vm: i64, tasks: usize, message: &str) {
    let url = format!("http://{}/{path}", scene.receiver.addr);
    let hook = json!({"name": "w", "url": url, "retries": 10});
    let hook = make(scene, key, "webhook_urls", hook).await;
    for task in 0..tasks {
        let row = json!({"name": format!("t{task}"), "owner": format!("webhook_urls/{hook}"), "action": "send", "settings_args": {"message": message}});
        let task = make(scene, key, "tasks", row).await;
        let event =
            json!({"task": task, "table": "vms", "event": "poweron", "owner": format!("vms/{vm}")});
        make(scene, key, "task_events", event).await;
    }
}

/// His key. He has as much as he may: 20 tasks with large texts, and a log of what they sent.
pub(super) async fn for_him(scene: &Scene) -> String {
    let his = key(scene, HIM, "his").await;
    let text = "lorem ipsum ".repeat(HIS_MESSAGE / 12);
    watch(
        scene,
        &his,
        "his",
        5,
        HIS_TASKS,
        &json!({"text": text}).to_string(),
    )
    .await;
    for occurrence in 1..=HIS_OCCURRENCES {
        let acted = scene
            .platform
            .call("POST", "vms/5/poweron", Some(json!({})))
            .await;
        assert_eq!(acted.0, 200, "{}", acted.1);
        // One after the other: what they take of memory is not what the nine need.
        scene.receiver.his(occurrence * HIS_TASKS).await;
    }
    his
}

/// A key for each of the nine, and webhooks that say when machine 1 is powered on.
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
    for member in [0, 3, 4] {
        watch(
            scene,
            &nine[member].key,
            "counted",
            1,
            1,
            r#"{"vm": "${NAME}"}"#,
        )
        .await;
    }
    nine
}
