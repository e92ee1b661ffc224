//! The page as assistive technology has it: what is on it, by role and name.

use std::time::Duration;

use serde_json::{Value, json};
use tests::browser::Browser;

/// How long is waited for what must come, in steps of [`PAUSE`].
const PATIENCE: usize = 300;
/// Between two looks at the page.
pub(super) const PAUSE: Duration = Duration::from_millis(30);

/// Runs a script, which the page's own may not; `None` while one page makes way for another.
pub(super) async fn ask(b: &Browser, code: &str) -> Option<Value> {
    let command = json!({"expression": code, "returnByValue": true});
    let answer = b.driver.cdp().send_raw("Runtime.evaluate", command).await;
    let answer = answer.ok()?;
    answer
        .get("exceptionDetails")
        .is_none()
        .then(|| answer["result"]["value"].clone())
}

/// Asks until the answer is yes.
pub(super) async fn wait(b: &Browser, code: &str) -> bool {
    for _ in 0..PATIENCE {
        if ask(b, code).await == Some(json!(true)) {
            return true;
        }
        tokio::time::sleep(PAUSE).await;
    }
    false
}

/// When the page was opened: no two pages have the same.
pub(super) async fn birth(b: &Browser) -> Value {
    ask(b, "performance.timeOrigin").await.unwrap_or_default()
}

/// Waits for the page after the one of that birth.
pub(super) async fn next(b: &Browser, birth: &Value) -> bool {
    let code = format!("performance.timeOrigin !== {birth} && document.readyState === 'complete'");
    wait(b, &code).await
}

/// Whether a text is to be seen, or comes to be.
pub(super) async fn sees(b: &Browser, text: &str) -> bool {
    let code = format!(
        "document.body.innerText.replace(/\\s+/g, ' ').includes({})",
        json!(text)
    );
    wait(b, &code).await
}

/// An element, by the number that the browser has for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(i64);

impl Place {
    /// The first that has one of these roles and this name; of a checkbox, whose name goes on with
    /// a hint, the beginning. Waits for it.
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

    /// Calls a function of the page on it, as `this`.
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
