//! The page in the accessibility tree: its elements by role and name.

use std::time::Duration;

use serde_json::{Value, json};
use tests::browser::Browser;

/// The maximum wait for an element, in steps of [`PAUSE`].
const PATIENCE: usize = 300;
/// The time between two looks at the page.
pub(super) const PAUSE: Duration = Duration::from_millis(30);

/// Runs a script even if the page's own may not run; returns `None` while one page replaces
/// another.
pub(super) async fn ask(b: &Browser, code: &str) -> Option<Value> {
    let command = json!({"expression": code, "returnByValue": true});
    let answer = b.driver.cdp().send_raw("Runtime.evaluate", command).await;
    let answer = answer.ok()?;
    answer
        .get("exceptionDetails")
        .is_none()
        .then(|| answer["result"]["value"].clone())
}

/// Waits until the script returns true.
pub(super) async fn wait(b: &Browser, code: &str) -> bool {
    for _ in 0..PATIENCE {
        if ask(b, code).await == Some(json!(true)) {
            return true;
        }
        tokio::time::sleep(PAUSE).await;
    }
    false
}

/// Returns the time at which the page was opened, which is different for every page.
pub(super) async fn birth(b: &Browser) -> Value {
    ask(b, "performance.timeOrigin").await.unwrap_or_default()
}

/// Waits for the page after the one that was opened at this time.
pub(super) async fn next(b: &Browser, birth: &Value) -> bool {
    let code = format!("performance.timeOrigin !== {birth} && document.readyState === 'complete'");
    wait(b, &code).await
}

/// Whether a text is visible, or becomes so.
pub(super) async fn sees(b: &Browser, text: &str) -> bool {
    let code = format!(
        "document.body.innerText.replace(/\\s+/g, ' ').includes({})",
        json!(text)
    );
    wait(b, &code).await
}

/// An element, by its number in the browser.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(i64);

impl Place {
    /// Waits for the first element that has one of these roles and this name; for a checkbox, whose
    /// name continues with a hint, the beginning of the name.
    pub(super) async fn find(b: &Browser, roles: &[&str], name: &str) -> Option<Self> {
        for _ in 0..PATIENCE {
            if let Some(found) = Self::look(b, roles, name).await {
                return Some(found);
            }
            tokio::time::sleep(PAUSE).await;
        }
        None
    }

    async fn look(b: &Browser, roles: &[&str], name: &str) -> Option<Self> {
        let devtools = b.driver.cdp();
        let root = json!({"depth": 0});
        let root = devtools.send_raw("DOM.getDocument", root).await.ok()?;
        let mut query = json!({"nodeId": root["root"]["nodeId"]});
        if roles == ["checkbox"] {
            query["role"] = json!("checkbox");
        } else {
            query["accessibleName"] = json!(name);
        }
        let answer = devtools.send_raw("Accessibility.queryAXTree", query);
        let answer = answer.await.ok()?;
        let is_meant = |node: &&Value| {
            let role = node["role"]["value"].as_str().unwrap_or_default();
            let own = node["name"]["value"].as_str().unwrap_or_default();
            node["ignored"] != json!(true) && roles.contains(&role) && own.starts_with(name)
        };
        let found = answer["nodes"].as_array()?.iter().find(is_meant)?;
        found["backendDOMNodeId"].as_i64().map(Self)
    }

    /// Calls a function in the page with this element as `this`.
    pub(super) async fn call(self, b: &Browser, function: &str) -> Option<Value> {
        let devtools = b.driver.cdp();
        let node = json!({"backendNodeId": self.0});
        let node = devtools.send_raw("DOM.resolveNode", node).await.ok()?;
        let call = json!({
            "objectId": node["object"]["objectId"],
            "functionDeclaration": function,
            "returnByValue": true,
        });
        let answer = devtools
            .send_raw("Runtime.callFunctionOn", call)
            .await
            .ok()?;
        Some(answer["result"]["value"].clone())
    }
}
