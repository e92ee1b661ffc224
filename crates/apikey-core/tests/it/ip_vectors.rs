//! Addresses and networks as other systems' tests write them: see `vectors/README.md`.

use apikey_core::{IpRange, IpRangeError};
use serde_json::Value;

const CASES: &str = include_str!("../vectors/cidr_cases.jsonl");

#[test]
fn ip_range_vectors_parse_by_the_strict_rule() {
    let (mut valid, mut invalid, mut decided) = (0, 0, 0);
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let input = case["input"].as_str().unwrap();
        let parsed = input.parse::<IpRange>();
        match case["valid"].as_bool() {
            Some(true) => {
                let normal = case["normalized"].as_str().unwrap();
                let range = parsed.unwrap_or_else(|error| panic!("{input:?}: {error}"));
                assert_eq!(range.to_string(), normal, "{input:?}");
                assert_eq!(normal.parse(), Ok(range), "normal form of {input:?}");
                valid += 1;
            }
            Some(false) => {
                assert!(parsed.is_err(), "{input:?} read as {}", parsed.unwrap());
                invalid += 1;
            }
            // The file leaves these open. Decided: refused, because `::ffff:10.0.0.0/8` reads like
            // an IPv4 /8 and is none, and /95 would cover more than mapped addresses.
            None => {
                assert_eq!(parsed, Err(IpRangeError::MappedPrefix), "{input:?}");
                decided += 1;
            }
        }
    }
    assert_eq!((valid, invalid, decided), (387, 282, 2));
}
