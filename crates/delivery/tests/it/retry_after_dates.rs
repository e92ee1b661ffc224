//! 180 ways to write a date, most of them not the one that a sender of today may use.

use std::time::Duration;

use chrono::DateTime;
use delivery::parse_retry_after;
use serde_json::Value;

#[test]
fn only_imf_fixdates_are_dates_and_they_mean_what_they_say() {
    let mut accepted = Vec::new();
    for line in include_str!("../vectors/retry-after/curl_dates.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = row["input"].as_str().unwrap();
        let epoch = row["curl_epoch"].as_i64().unwrap();
        // A minute before the date that curl reads, or any time when it reads none.
        let now = DateTime::from_timestamp(if epoch == -1 { 0 } else { epoch - 60 }, 0).unwrap();
        if let Some(wait) = parse_retry_after(text.as_bytes(), now) {
            // curl gives up beyond 2038 on some machines; the date is one all the same.
            assert!(epoch == -1 || wait == Duration::from_secs(60), "{text}");
            accepted.push(text.to_owned());
        }
    }
    assert!(accepted.contains(&"Sun, 06 Nov 1994 08:49:37 GMT".to_owned()));
    let shape = |text: &String| text.len() == 29 && text.ends_with(" GMT") && !text.contains('-');
    assert!(accepted.iter().all(shape), "{accepted:?}");
}
