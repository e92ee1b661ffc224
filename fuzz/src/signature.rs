//! The verifier: for any headers, it accepts only messages signed with its key, in time.

use std::sync::LazyLock;

use chrono::DateTime;
use delivery::{SigningKeys, Verifier};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NOW: i64 = 1_800_000_000;

static KEYS: LazyLock<SigningKeys> = LazyLock::new(|| SigningKeys::parse([SECRET]).unwrap());
static VERIFIER: LazyLock<Verifier> = LazyLock::new(|| Verifier::new([SECRET.parse().unwrap()]));

pub(crate) fn holds(input: (&str, &str, &str, i16, &[u8])) {
    let (id, timestamp, signatures, late, body) = input;
    let now = DateTime::from_timestamp(NOW, 0).unwrap();
    if let Ok(verified) = VERIFIER.verify(id, timestamp, signatures, body, now) {
        let right = KEYS.signature(id, verified.at, body);
        assert!(signatures.split(' ').any(|one| one == right));
        assert!((verified.at - now).num_seconds().abs() <= 300);
    }
    // With the right signature among the other parts, only time decides.
    let at = now + chrono::TimeDelta::seconds(late.into());
    let right = KEYS.signature(id, at, body);
    let header = format!(
        "{} {right} {}",
        &signatures.get(..64).unwrap_or_default(),
        "v2,x"
    );
    let taken = VERIFIER.verify(id, &at.timestamp().to_string(), &header, body, now);
    let few = header.split(' ').filter(|s| s.starts_with("v1")).count() <= 32;
    let fresh = (-300..=300).contains(&late);
    let known = (1..=256).contains(&id.len());
    assert_eq!(taken.is_ok(), fresh && known && few, "{header:?}");
}
