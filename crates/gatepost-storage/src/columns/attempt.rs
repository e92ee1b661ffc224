//! An attempt as backends store it: lists read separate columns, and the rest is one sealed value.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::error::{ErrorKind, StoreError};
use crate::seal::SealingKeys;
use crate::webhooks::{AttemptRecord, Claim, Phases, Settlement};

const DETAIL: &str = "outcome.detail";
/// The first byte of a detail. After it come two flags (a truncated body, a kept one), a number for
/// each phase (0, or its microseconds plus 1), and the parts, each preceded by its length: words,
/// address, protocol, head of the request, head and body of the response. A number has seven bits a
/// byte, the lowest first, and the high bit set in all but the last. Later versions may append to
/// this.
const VERSION: u8 = 1;

/// A stored attempt. The store assigns its number, which is not part of it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct SealedAttempt {
    /// The claim under which it was made; `detail` opens for this claim only.
    pub claim: Claim,
    /// The time at which it began.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub started: DateTime<Utc>,
    /// Its total duration.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub duration: Duration,
    /// The class of the outcome.
    pub class: String,
    /// The status of the response, if one arrived.
    pub status: Option<u16>,
    /// [`AttemptRecord::kept_bytes`].
    pub kept_bytes: u64,
    /// Everything else, sealed whenever there is a sealing key; `None` if the receiver fetched the
    /// delivery.
    #[cfg_attr(feature = "serde", serde(default, with = "crate::stored::field"))]
    pub detail: Option<Vec<u8>>,
}

impl SealedAttempt {
    /// Seals an attempt for its claim under the current key of `keys`, or encodes it in plaintext
    /// if there is none.
    ///
    /// # Errors
    /// `Invalid` if a part is too long to seal.
    pub fn seal(
        attempt: AttemptRecord,
        claim: Claim,
        keys: &SealingKeys,
    ) -> Result<Self, StoreError> {
        let phases = attempt.phases;
        let remote = attempt.remote.map_or_else(String::new, |at| at.to_string());
        let mut plain = vec![VERSION, attempt.truncated.into(), attempt.kept.into()];
        for done in [phases.dns, phases.connect, phases.tls, phases.first_byte] {
            let micros = done.map_or(0, |done| done.as_micros() + 1);
            put_number(&mut plain, u64::try_from(micros).unwrap_or(u64::MAX));
        }
        for part in [
            attempt.info.as_bytes(),
            remote.as_bytes(),
            attempt.protocol.as_deref().unwrap_or_default().as_bytes(),
            &attempt.request_head,
            &attempt.response_head,
            &attempt.response_body,
        ] {
            put_number(&mut plain, part.len() as u64);
            plain.extend_from_slice(part);
        }
        let too_long = |_| StoreError::new(ErrorKind::Invalid, "an attempt is too long to seal");
        let sealed = keys.seal(&plain, &context(claim)).map_err(too_long)?;
        Ok(Self {
            claim,
            started: attempt.started,
            duration: attempt.duration,
            kept_bytes: attempt.kept_bytes(),
            class: attempt.class,
            status: attempt.status,
            detail: Some(sealed),
        })
    }

    /// Takes the attempts out of settlements and seals each, as [`seal`](Self::seal) does.
    ///
    /// # Errors
    /// The errors of `seal`.
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

    /// Creates the attempt of a fetched delivery, as [`AttemptRecord::fetched`] does.
    #[must_use]
    pub fn fetched(claim: Claim, now: DateTime<Utc>) -> Self {
        let attempt = AttemptRecord::fetched(now);
        Self {
            claim,
            started: now,
            duration: Duration::ZERO,
            kept_bytes: attempt.kept_bytes(),
            class: attempt.class,
            status: None,
            detail: None,
        }
    }

    /// Opens an attempt. If its detail opens under none of `keys`, the attempt is not `kept`, and
    /// has only the values of the other columns.
    ///
    /// # Errors
    /// `Corrupt` if the opened detail is not in the format of [`seal`](Self::seal).
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
        let [VERSION, truncated, kept, rest @ ..] = opened.as_slice() else {
            return Err(corrupt("an unknown version"));
        };
        let mut rest = rest;
        let phases = Phases {
            dns: phase(&mut rest)?,
            connect: phase(&mut rest)?,
            tls: phase(&mut rest)?,
            first_byte: phase(&mut rest)?,
        };
        let [info, remote, protocol] = [text(&mut rest)?, text(&mut rest)?, text(&mut rest)?];
        let remote = match remote.as_str() {
            "" => None,
            address => Some(address.parse().map_err(|_| corrupt("not an address"))?),
        };
        Ok(AttemptRecord {
            phases,
            info,
            remote,
            protocol: Some(protocol).filter(|name| !name.is_empty()),
            request_head: part(&mut rest)?,
            response_head: part(&mut rest)?,
            response_body: part(&mut rest)?,
            truncated: *truncated != 0,
            kept: *kept != 0,
            ..attempt
        })
    }
}

fn put_number(plain: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        plain.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    plain.push(number.to_le_bytes()[0]);
}

fn number(rest: &mut &[u8]) -> Result<u64, StoreError> {
    let last = rest.iter().position(|byte| *byte < 0x80);
    let (digits, behind) = rest.split_at(last.ok_or_else(|| corrupt("cut short"))? + 1);
    *rest = behind;
    let add = |number, digit: &u8| number << 7 | u64::from(digit & 0x7f);
    Ok(digits.iter().rev().fold(0, add))
}

fn phase(rest: &mut &[u8]) -> Result<Option<Duration>, StoreError> {
    Ok(number(rest)?.checked_sub(1).map(Duration::from_micros))
}

fn text(rest: &mut &[u8]) -> Result<String, StoreError> {
    String::from_utf8(part(rest)?).map_err(|_| corrupt("not a text"))
}

fn part(rest: &mut &[u8]) -> Result<Vec<u8>, StoreError> {
    let length = usize::try_from(number(rest)?).ok();
    let split = length.and_then(|length| rest.split_at_checked(length));
    let (part, behind) = split.ok_or_else(|| corrupt("cut short"))?;
    *rest = behind;
    Ok(part.to_vec())
}

fn context(of: Claim) -> String {
    format!("{DETAIL}/{}/{}", of.delivery, of.token.0)
}

fn corrupt(rule: &str) -> StoreError {
    StoreError::corrupt(DETAIL, rule)
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
    fn attempt_opens_under_its_keys_and_hides_secrets() {
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
    fn detail_of_another_version_is_corrupt() {
        let mut stored = sealed(&SealingKeys::none());
        stored.detail.as_mut().unwrap()[1] = VERSION + 1;
        let error = stored.open(3, &SealingKeys::none()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn detail_with_appended_fields_still_opens() {
        let mut stored = sealed(&SealingKeys::none());
        stored.detail.as_mut().unwrap().extend(b"\x05added");
        assert_eq!(stored.open(3, &SealingKeys::none()).unwrap(), attempt());
    }

    #[test]
    fn detail_of_any_phase_opens_and_is_short() {
        for (micros, length) in [(0, 90), (126, 90), (127, 91), (u64::MAX - 1, 99)] {
            let mut attempt = attempt();
            attempt.phases.first_byte = Some(Duration::from_micros(micros));
            let stored = SealedAttempt::seal(attempt.clone(), CLAIM, &SealingKeys::none()).unwrap();
            assert_eq!(stored.detail.as_ref().unwrap().len(), length, "{micros}");
            assert_eq!(stored.open(3, &SealingKeys::none()).unwrap(), attempt);
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
