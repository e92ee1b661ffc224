//! An attempt as backends store it: what lists need lies in columns, the rest in one sealed value.

use std::net::SocketAddr;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, StoreError};
use crate::seal::SealingKeys;
use crate::webhooks::{AttemptRecord, Claim, Phases, Settlement};

const DETAIL: &str = "outcome.detail";
/// Room for what stands behind the parts of request and response.
const META_BYTES: usize = 192;

/// An attempt as it is stored. Its number is the store's, and is not part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SealedAttempt {
    /// The claim under which it was made; `detail` opens for this claim only.
    pub claim: Claim,
    /// When it began.
    pub started: DateTime<Utc>,
    /// How long it took in all.
    pub duration: Duration,
    /// The class of the outcome.
    pub class: String,
    /// The status of the response, if one arrived.
    pub status: Option<u16>,
    /// [`AttemptRecord::kept_bytes`].
    pub kept_bytes: u64,
    /// Everything else, sealed whenever there is a sealing key; `None` if the receiver fetched the
    /// delivery.
    pub detail: Option<Vec<u8>>,
}

/// What stands behind the parts, as JSON: a field that is added has a default.
#[derive(Deserialize, Serialize)]
struct Meta {
    /// DNS, connect, TLS, first byte, in microseconds.
    phases: [Option<u64>; 4],
    info: String,
    remote: Option<SocketAddr>,
    protocol: Option<String>,
    truncated: bool,
    kept: bool,
}

impl SealedAttempt {
    /// Seals an attempt for its claim under the current one of `keys`, or stores it in plaintext if
    /// there is none.
    ///
    /// # Errors
    /// `Invalid` when a part is too long to seal.
    pub fn seal(
        attempt: AttemptRecord,
        claim: Claim,
        keys: &SealingKeys,
    ) -> Result<Self, StoreError> {
        let AttemptRecord {
            request_head,
            response_head,
            response_body,
            ..
        } = &attempt;
        let mut plain = Vec::with_capacity(
            request_head.len() + response_head.len() + response_body.len() + META_BYTES,
        );
        for part in [request_head, response_head, response_body] {
            let length = u32::try_from(part.len()).map_err(too_long)?;
            plain.extend_from_slice(&length.to_be_bytes());
            plain.extend_from_slice(part);
        }
        let (kept_bytes, phases) = (attempt.kept_bytes(), attempt.phases);
        let phases = [phases.dns, phases.connect, phases.tls, phases.first_byte];
        let meta = Meta {
            phases: phases.map(|done| done.map(micros)),
            info: attempt.info,
            remote: attempt.remote,
            protocol: attempt.protocol,
            truncated: attempt.truncated,
            kept: attempt.kept,
        };
        serde_json::to_writer(&mut plain, &meta).map_err(too_long)?;
        let sealed = keys.seal(&plain, &context(claim)).map_err(too_long)?;
        Ok(Self {
            claim,
            started: attempt.started,
            duration: attempt.duration,
            class: attempt.class,
            status: attempt.status,
            kept_bytes,
            detail: Some(sealed),
        })
    }

    /// Takes the attempts out of settlements, and seals each as [`seal`](Self::seal) does.
    ///
    /// # Errors
    /// Those of `seal`.
    pub fn seal_all(
        settlements: Vec<Settlement>,
        keys: &SealingKeys,
    ) -> Result<Vec<(Settlement, Option<Self>)>, StoreError> {
        let sealed = settlements.into_iter().map(|mut settlement| {
            let attempt = settlement.attempt.take();
            let sealed = attempt.map(|attempt| Self::seal(attempt, settlement.claim, keys));
            Ok((settlement, sealed.transpose()?))
        });
        sealed.collect()
    }

    /// The attempt of a delivery that was fetched, as [`AttemptRecord::fetched`].
    #[must_use]
    pub fn fetched(claim: Claim, now: DateTime<Utc>) -> Self {
        Self {
            claim,
            started: now,
            duration: Duration::ZERO,
            class: AttemptRecord::fetched(now).class,
            status: None,
            kept_bytes: 0,
            detail: None,
        }
    }

    /// Opens an attempt. If its detail opens under none of `keys`, the attempt is not `kept`, and
    /// nothing but the other columns is known of it.
    ///
    /// # Errors
    /// `Corrupt` when an opened detail is not what [`seal`](Self::seal) writes.
    pub fn open(self, number: u32, keys: &SealingKeys) -> Result<AttemptRecord, StoreError> {
        let attempt = AttemptRecord {
            number,
            duration: self.duration,
            class: self.class,
            status: self.status,
            ..AttemptRecord::fetched(self.started)
        };
        let Some(sealed) = self.detail else {
            return Ok(attempt);
        };
        let Ok(opened) = keys.open(&sealed, &context(self.claim)) else {
            return Ok(AttemptRecord {
                info: String::new(),
                kept: false,
                ..attempt
            });
        };
        let mut rest = opened.as_slice();
        let (request_head, response_head) = (part(&mut rest)?, part(&mut rest)?);
        let response_body = part(&mut rest)?;
        // The decoder's error may show the text.
        let meta: Meta = serde_json::from_slice(rest).map_err(|e| corrupt(e.classify()))?;
        let phases = meta.phases.map(|done| done.map(Duration::from_micros));
        let [dns, connect, tls, first_byte] = phases;
        Ok(AttemptRecord {
            phases: Phases {
                dns,
                connect,
                tls,
                first_byte,
            },
            info: meta.info,
            remote: meta.remote,
            protocol: meta.protocol,
            request_head,
            response_head,
            response_body,
            truncated: meta.truncated,
            kept: meta.kept,
            ..attempt
        })
    }
}

/// The next part, behind its length.
fn part(rest: &mut &[u8]) -> Result<Vec<u8>, StoreError> {
    let cut = || corrupt("cut short");
    let (length, behind) = rest.split_first_chunk().ok_or_else(cut)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(corrupt)?;
    let (part, behind) = behind.split_at_checked(length).ok_or_else(cut)?;
    *rest = behind;
    Ok(part.to_vec())
}

fn context(of: Claim) -> String {
    format!("{DETAIL}/{}/{}", of.delivery, of.token.0)
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

fn corrupt(rule: impl std::fmt::Debug) -> StoreError {
    StoreError::corrupt(DETAIL, format!("{rule:?}"))
}

fn too_long<E>(_: E) -> StoreError {
    StoreError::new(ErrorKind::Invalid, "an attempt is too long to seal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::SealingKey;
    use crate::webhooks::{ClaimToken, DeliveryId};

    const CLAIM: Claim = Claim {
        delivery: DeliveryId(7),
        token: ClaimToken(9),
    };

    fn keys(id: u8) -> SealingKeys {
        SealingKeys::new(SealingKey::new(id.into(), [id; 32]))
    }

    fn attempt() -> AttemptRecord {
        AttemptRecord {
            number: 3,
            duration: Duration::from_micros(9),
            phases: Phases {
                dns: Some(Duration::from_micros(1)),
                tls: Some(Duration::from_micros(2)),
                ..Phases::default()
            },
            class: "status".to_owned(),
            info: "\0 as a target may write".to_owned(),
            status: Some(503),
            remote: Some(([127, 0, 0, 1], 80).into()),
            protocol: Some("HTTP/2".to_owned()),
            request_head: b"POST /services/canary HTTP/1.1\r\n".to_vec(),
            response_head: Vec::new(),
            response_body: vec![0xff, 0, 1],
            truncated: true,
            ..AttemptRecord::fetched(DateTime::UNIX_EPOCH)
        }
    }

    fn sealed(keys: &SealingKeys) -> SealedAttempt {
        SealedAttempt::seal(attempt(), CLAIM, keys).unwrap()
    }

    #[test]
    fn attempt_opens_under_its_keys_alone() {
        for (seal, open) in [
            (keys(1), keys(1)),
            (keys(1), keys(2).with_old(SealingKey::new(1, [1; 32]))),
            (SealingKeys::none(), SealingKeys::none()),
            (SealingKeys::none(), keys(2)),
        ] {
            let stored = sealed(&seal);
            assert_eq!(stored.kept_bytes, attempt().kept_bytes());
            assert_eq!(stored.open(3, &open).unwrap(), attempt());
        }
        let stored = sealed(&keys(1)).detail.unwrap();
        for secret in ["canary", "target", "127.0.0.1"] {
            let mut parts = stored.windows(secret.len());
            assert!(!parts.any(|part| part == secret.as_bytes()), "{secret}");
        }
    }

    #[test]
    fn attempt_that_does_not_open_is_not_kept() {
        let lost = AttemptRecord {
            number: 3,
            duration: attempt().duration,
            class: attempt().class,
            info: String::new(),
            status: attempt().status,
            kept: false,
            ..AttemptRecord::fetched(DateTime::UNIX_EPOCH)
        };
        let first = keys(1);
        for keys in [keys(2), SealingKeys::none()] {
            assert_eq!(sealed(&first).open(3, &keys).unwrap(), lost);
        }
        for (delivery, token) in [(8, 9), (7, 8)] {
            let mut moved = sealed(&first);
            moved.claim = Claim {
                delivery: DeliveryId(delivery),
                token: ClaimToken(token),
            };
            assert_eq!(moved.open(3, &first).unwrap(), lost, "in another row");
        }
    }

    #[test]
    fn damaged_detail_is_corrupt() {
        let whole = sealed(&SealingKeys::none());
        let length = whole.detail.as_ref().unwrap().len();
        for cut in 1..length {
            let mut stored = whole.clone();
            stored.detail.as_mut().unwrap().truncate(cut);
            let error = stored.open(3, &SealingKeys::none()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{cut}");
            assert!(!format!("{error:?}").contains("canary"), "{error:?}");
        }
    }

    #[test]
    fn fetched_attempt_has_no_detail() {
        let now = DateTime::UNIX_EPOCH;
        let stored = SealedAttempt::fetched(CLAIM, now);
        assert_eq!(
            stored.open(0, &keys(1)).unwrap(),
            AttemptRecord::fetched(now)
        );
    }
}
