//! The example platform has three tenants: the rows that a user of one sees, may watch, and
//! receives.

use examples::receiver::Receiver;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::platform::PlatformProcess;

/// Users of the example platform: 3 is in tenant 1, which 2 administers, as 5 does tenant 2; 4 is
/// in none.
struct Tenants {
    platform: PlatformProcess,
    _folder: TempDir,
}

impl Tenants {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let platform = PlatformProcess::start(env!("CARGO_BIN_EXE_host"), folder.path(), &[]);
        Self {
            platform,
            _folder: folder,
        }
    }

    async fn key_of(&self, user: u128) -> String {
        let key = json!({"user": user, "name": "test"});
        let (_, made) = self.platform.call("POST", "user_api_keys", Some(key)).await;
        made["key"].as_str().unwrap().to_owned()
    }

    async fn call(&self, key: &str, method: &str, path: &str, body: Value) -> (u16, Value) {
        let mut request = self.platform.request(method, &format!("/api/v4/{path}"));
        request = request.bearer_auth(key);
        if !body.is_null() {
            request = request.body(body.to_string());
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    /// Creates a webhook and a task of a user.
    async fn task(&self, key: &str, url: &str) -> i64 {
        let hook = json!({"name": "same name", "url": url});
        let (status, hook) = self.call(key, "POST", "webhook_urls", hook).await;
        assert_eq!(status, 201, "{hook}");
        let task =
            json!({"name": "t", "owner": hook["$row"], "settings_args": {"message": "${NAME}"}});
        let (status, task) = self.call(key, "POST", "tasks", task).await;
        assert_eq!(status, 201, "{task}");
        task["$row"].as_i64().unwrap()
    }

    async fn event(&self, key: &str, task: i64, owner: &str) -> (u16, String) {
        let table = owner.split('/').next().unwrap();
        let event = match table {
            "users" => "login",
            "tenants" => "online",
            _ => "poweron",
        };
        let event = json!({"task": task, "table": table, "event": event, "owner": owner});
        let (status, body) = self.call(key, "POST", "task_events", event).await;
        (status, body["err"].as_str().unwrap_or_default().to_owned())
    }
}

fn names(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn users_and_machines_of_other_tenants_are_hidden() {
    let tenants = Tenants::start();
    let (ulf, tina, vera) = (
        tenants.key_of(3).await,
        tenants.key_of(2).await,
        tenants.key_of(4).await,
    );
    let rows = async |key: &str, path: &str| {
        let (status, rows) = tenants.call(key, "GET", path, Value::Null).await;
        assert_eq!(status, 200, "{path}: {rows}");
        rows
    };
    let users = rows(&ulf, "users?fields=name,email").await;
    assert_eq!(
        users,
        json!([
            {"name": "tina", "email": ""},
            {"name": "ulf", "email": "ulf@example.com"},
        ])
    );
    let users = rows(&tina, "users?fields=name,email").await;
    assert_eq!(users[1]["email"], "ulf@example.com");
    assert_eq!(
        names(&users),
        ["tina", "ulf"],
        "an operator is no colleague"
    );
    let found = rows(&ulf, "users?filter=email%20cs%20'example'").await;
    assert_eq!(names(&found), ["ulf"], "a filter is no oracle");
    assert_eq!(names(&rows(&vera, "users").await), ["vera"]);
    let machines = rows(&ulf, "vms").await;
    assert_eq!(names(&machines), ["web-1", "db-1", "build"]);
    assert_eq!(names(&rows(&vera, "vms").await), ["blog"]);
    for path in ["users/5", "vms/4"] {
        assert_eq!(tenants.call(&ulf, "GET", path, Value::Null).await.0, 404);
    }
    // The control: the administrator sees them all.
    assert_eq!(
        tenants.platform.rows("vms").await.as_array().unwrap().len(),
        5
    );
}

#[tokio::test]
async fn event_object_is_checked_for_access_and_existence() {
    let tenants = Tenants::start();
    let (ulf, tina) = (tenants.key_of(3).await, tenants.key_of(2).await);
    let url = "https://example.com/";
    let (ulfs, tinas) = (
        tenants.task(&ulf, url).await,
        tenants.task(&tina, url).await,
    );
    assert_eq!(tenants.event(&ulf, ulfs, "vms/1").await.0, 201);
    for other in ["vms/4", "vms/5", "vms/99", "users/2"] {
        let (status, words) = tenants.event(&ulf, ulfs, other).await;
        assert_eq!(status, 403, "{other}: {words}");
        assert!(words.contains(' ') && !words.contains("shop-1"), "{words}");
    }
    // A tenant's administrator sees neither the objects of other tenants, nor those of a system
    // administrator.
    for other in [
        "vms/4",
        "vms/99",
        "users/1",
        "users/5",
        "users/99",
        "tenants/2",
        "tenants/99",
    ] {
        let said = tenants.event(&tina, tinas, other).await;
        let words = "You may not watch this object".to_owned();
        assert_eq!(said, (403, words), "{other}");
    }
    // A caller who may see every object receives an error for one that does not exist.
    let wanda = tenants.key_of(6).await;
    let wandas = tenants.task(&wanda, url).await;
    let (status, words) = tenants.event(&wanda, wandas, "vms/99").await;
    assert_eq!(status, 422, "{words}");
    assert!(words.contains("'owner'"), "{words}");
    assert_eq!(tenants.event(&tina, tinas, "users/3").await.0, 201);
    // For a user's webhook the user's permissions count.
    assert_eq!(tenants.event(&tina, ulfs, "users/2").await.0, 403);
}

#[tokio::test]
async fn event_is_received_in_tenant_of_its_machine() {
    let tenants = Tenants::start();
    let receiver = Receiver::start(None).await.unwrap();
    for user in [1, 3, 4, 5, 6] {
        let key = tenants.key_of(user).await;
        let url = format!("http://{}/{user}", receiver.addr);
        let task = tenants.task(&key, &url).await;
        let event = json!({"task": task, "table": "vms", "event": "poweron", "tag": 1});
        let (status, body) = tenants.call(&key, "POST", "task_events", event).await;
        assert_eq!(status, 201, "{body}");
    }
    let act = async |vm: i64| {
        let body = json!({"vm": vm, "action": "poweron"});
        let acted = tenants
            .platform
            .call("POST", "vm_actions", Some(body))
            .await;
        assert_eq!(acted.0, 200, "{}", acted.1);
    };
    for (vm, user, name) in [(1, 3, "web-1"), (4, 5, "shop-1"), (5, 4, "blog")] {
        act(vm).await;
        let received = receiver.wait_for(&format!("/{user}"), 1).await.unwrap();
        assert_eq!(received.body, name);
    }
    // System administrators receive all of it; everybody else only their own.
    for administrator in ["/1", "/6"] {
        receiver.wait_for(administrator, 3).await.unwrap();
    }
    assert_eq!(receiver.received().len(), 9);
}
