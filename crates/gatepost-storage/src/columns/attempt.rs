//! What an attempt keeps of request and response, sealed at rest: the URL and the headers, and
//! whatever a target repeats of them.

use crate::error::{ErrorKind, StoreError};
use crate::seal::SealingKeys;
use crate::webhooks::{AttemptRecord, DeliveryId};

/// Begins a part that is sealed. A control character first: no head in use begins so.
const SEALED: &[u8] = b"\x01seal:";

/// Seals what `attempt` keeps of request and response under the current one of `keys`; without one
/// it stays in plaintext. A sealed part is 51 bytes longer. Each is bound to its delivery and to
/// its column, and opens nowhere else.
///
/// # Errors
/// `Invalid` when a part is too long to seal.
pub fn seal_attempt(
    attempt: &mut AttemptRecord,
    of: DeliveryId,
    keys: &SealingKeys,
) -> Result<(), StoreError> {
    for (part, column) in attempt.parts_mut() {
        // Also without a key, what looks sealed is stored so that it opens as it was.
        if part.is_empty() || keys.is_none() && !part.starts_with(SEALED) {
            continue;
        }
        let sealed = keys.seal(part, &context(of, column));
        let too_long = |_| StoreError::new(ErrorKind::Invalid, "an attempt is too long to seal");
        *part = [SEALED, &sealed.map_err(too_long)?].concat();
    }
    Ok(())
}

/// Opens what [`seal_attempt`] sealed for the same delivery. A part that was stored in plaintext
/// stays as it is. One that opens under none of `keys` is empty, and the attempt is not `kept`:
/// nothing else of it is held up.
pub fn open_attempt(attempt: &mut AttemptRecord, of: DeliveryId, keys: &SealingKeys) {
    attempt.open_parts(keys, SEALED, |column| context(of, column));
}

fn context(of: DeliveryId, column: &str) -> String {
    format!("outcome.{column}/{of}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::SealingKey;

    const DELIVERY: DeliveryId = DeliveryId(7);

    fn keys(id: u8) -> SealingKeys {
        SealingKeys::new(SealingKey::new(id.into(), [id; 32]))
    }

    fn attempt() -> AttemptRecord {
        AttemptRecord {
            request_head: b"POST /services/canary HTTP/1.1\r\n".to_vec(),
            response_head: Vec::new(),
            response_body: [SEALED, b"as a target may write"].concat(),
            kept: true,
            ..AttemptRecord::fetched(chrono::DateTime::UNIX_EPOCH)
        }
    }

    fn sealed(keys: &SealingKeys) -> AttemptRecord {
        let mut attempt = attempt();
        seal_attempt(&mut attempt, DELIVERY, keys).unwrap();
        attempt
    }

    fn opened(mut attempt: AttemptRecord, of: DeliveryId, keys: &SealingKeys) -> AttemptRecord {
        open_attempt(&mut attempt, of, keys);
        attempt
    }

    #[test]
    fn attempt_opens_under_its_keys_alone() {
        for (seal, open) in [
            (keys(1), keys(1)),
            (keys(1), keys(2).with_old(SealingKey::new(1, [1; 32]))),
            (SealingKeys::none(), SealingKeys::none()),
            (SealingKeys::none(), keys(2)),
        ] {
            assert_eq!(opened(sealed(&seal), DELIVERY, &open), attempt());
        }
        let stored = sealed(&keys(1));
        let shown = String::from_utf8_lossy(&stored.request_head).into_owned();
        assert!(!shown.contains("canary"), "{shown}");
        assert_eq!(stored.response_head, b"", "nothing is sealed as nothing");
        let longer = stored.request_head.len() - attempt().request_head.len();
        assert_eq!(longer, 51);
    }

    #[test]
    fn attempt_that_does_not_open_is_not_kept() {
        let empty = AttemptRecord {
            request_head: Vec::new(),
            response_body: Vec::new(),
            kept: false,
            ..attempt()
        };
        let stored = sealed(&keys(1));
        for keys in [keys(2), SealingKeys::none()] {
            assert_eq!(opened(stored.clone(), DELIVERY, &keys), empty);
        }
        let moved = opened(stored.clone(), DeliveryId(8), &keys(1));
        assert_eq!(moved, empty, "in another delivery's row");
        let mut swapped = stored;
        swapped.response_head = std::mem::take(&mut swapped.request_head);
        let swapped = opened(swapped, DELIVERY, &keys(1));
        assert_eq!((swapped.response_head.len(), swapped.kept), (0, false));
    }
}
