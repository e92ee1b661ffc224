//! Accessibility, as axe-core checks it.

use serde_json::Value;

use super::Browser;

const AXE: &str = include_str!("../../vendor/axe-core/axe.min.js");
const RUN: &str = "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations), e => done(String(e)))";

/// Returns the faults that axe-core finds on the page, each with the first element that has it.
/// Needs scripts.
///
/// # Panics
/// If it does not run.
pub async fn faults(b: &Browser) -> Vec<String> {
    b.script(AXE).await;
    let found = b.driver.execute_async(RUN, Vec::new()).await.unwrap();
    match found.json() {
        Value::Array(found) => found
            .iter()
            .map(|fault| {
                format!(
                    "{}: {} ({})",
                    fault["id"], fault["help"], fault["nodes"][0]["html"]
                )
            })
            .collect(),
        other => vec![other.to_string()],
    }
}
