//! 180 ways to write a date, most of them not among the three that HTTP permits.

use std::time::Duration;

use chrono::DateTime;
use delivery::parse_retry_after;
use serde_json::Value;

#[test]
fn retry_after_dates_agree_with_curl_vectors() {
    let mut accepted = Vec::new();
    for line in include_str!("../vectors/retry-after/curl_dates.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = row["input"].as_str().unwrap();
        let epoch = row["curl_epoch"].as_i64().unwrap();
        // A minute before the date that curl reads, or any time when it reads none.
        let now = DateTime::from_timestamp(if epoch == -1 { 0 } else { epoch - 60 }, 0).unwrap();
        if let Some(wait) = parse_retry_after(text.as_bytes(), now) {
            // curl gives up beyond 2038 on some machines; the date is valid all the same.
            assert!(epoch == -1 || wait == Duration::from_secs(60), "{text}");
            accepted.push(text.to_owned());
        }
    }
    for form in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ] {
        assert!(accepted.iter().any(|text| text == form), "{form}");
    }
    assert!(accepted.len() < 10, "{accepted:?}");
}
