//! The deliveries of a running batch, in the format of `gatepost_running.members`: 38 bytes each,
//! little-endian, in order of their row numbers.

use gatepost_storage::webhooks::QueueClass;

use crate::error::{Failure, Result};

const LENGTH: usize = 38;

/// A claimed delivery, in its state at the claim.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Member {
    pub(crate) delivery: i64,
    pub(crate) webhook: i64,
    pub(crate) due: i64,
    pub(crate) attempts: u32,
    pub(crate) tries: u32,
    pub(crate) lost: u32,
    /// The number of the class of its queue.
    pub(crate) class: i16,
}

impl Member {
    /// Returns whether a claim of it was lost, and none was settled after that.
    pub(crate) fn is_lost(self) -> bool {
        self.class >= QueueClass::Lost.number()
    }
}

pub(super) fn encode(members: &[Member]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(members.len() * LENGTH);
    for member in members {
        for number in [member.delivery, member.webhook, member.due] {
            bytes.extend(number.to_le_bytes());
        }
        for number in [member.attempts, member.tries, member.lost] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(member.class.to_le_bytes());
    }
    bytes
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<Member>> {
    let (members, rest) = bytes.as_chunks::<LENGTH>();
    if !rest.is_empty() {
        return Err(Failure::corrupt("members", "cut off"));
    }
    Ok(members.iter().map(member).collect())
}

fn member(bytes: &[u8; LENGTH]) -> Member {
    Member {
        delivery: i64::from_le_bytes(part(bytes, 0)),
        webhook: i64::from_le_bytes(part(bytes, 8)),
        due: i64::from_le_bytes(part(bytes, 16)),
        attempts: u32::from_le_bytes(part(bytes, 24)),
        tries: u32::from_le_bytes(part(bytes, 28)),
        lost: u32::from_le_bytes(part(bytes, 32)),
        class: i16::from_le_bytes(part(bytes, 36)),
    }
}

fn part<const N: usize>(bytes: &[u8; LENGTH], from: usize) -> [u8; N] {
    std::array::from_fn(|at| bytes[from + at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batch_members_round_trip_and_truncation_fails() {
        let first = Member {
            delivery: i64::MAX,
            webhook: -2,
            due: 3,
            attempts: u32::MAX,
            tries: 5,
            lost: 6,
            class: 2,
        };
        let second = Member {
            delivery: 8,
            class: 0,
            ..first
        };
        let bytes = encode(&[first, second]);
        assert_eq!(decode(&bytes).unwrap(), [first, second]);
        assert!(decode(&bytes[1..]).is_err());
        assert_eq!(decode(&[]).unwrap(), []);
    }
}
