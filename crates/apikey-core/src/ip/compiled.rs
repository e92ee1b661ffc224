use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

use super::list::IpEntry;
use super::policy::{IpPolicy, IpVerdict};

/// Set in the first word if the ranges are allowed; not set if they are denied.
const ALLOW: u32 = 1 << 31;

/// An [`IpPolicy`] compiled for decisions: the ranges of the list that applies, sorted and merged,
/// in a single allocation (none for a policy that allows everyone).
///
/// A thousand entries take ten steps of a binary search. The order of the entries does not affect
/// the decision, so only the reason is lost: see [`IpPolicy::explain`].
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct CompiledIpPolicy {
    /// One word that holds the number of IPv4 ranges and [`ALLOW`], then for each IPv4 range its
    /// first and last address, then for each IPv6 range the four words of its first and the four of
    /// its last. One array instead of a struct of two keeps a cached key to a single hop.
    words: Option<Box<[u32]>>,
}

impl IpPolicy {
    /// Compiles the policy.
    #[must_use]
    pub fn compile(&self) -> CompiledIpPolicy {
        CompiledIpPolicy::new(self)
    }
}

impl CompiledIpPolicy {
    /// Compiles a policy.
    #[must_use]
    pub fn new(policy: &IpPolicy) -> Self {
        // An allow list is decisive (SPEC 2.1 rules 4 and 5), so only one list is ever needed.
        let (flag, entries) = if policy.allow.is_empty() {
            (0, policy.deny.entries())
        } else {
            (ALLOW, policy.allow.entries())
        };
        let (v4, v6) = merged(entries);
        if flag == 0 && v4.is_empty() && v6.is_empty() {
            return Self::default();
        }
        let mut words = Vec::with_capacity(1 + 2 * v4.len() + 8 * v6.len());
        // A list holds at most MAX_IP_ENTRIES, so the count never reaches the flag.
        words.push(flag | u32::try_from(v4.len()).unwrap_or_default());
        words.extend(v4.into_iter().flat_map(|(first, last)| [first, last]));
        for (first, last) in v6 {
            words.extend(split(first));
            words.extend(split(last));
        }
        Self {
            words: Some(words.into()),
        }
    }

    /// Returns the verdict on one address, without allocation.
    #[inline]
    pub fn verdict(&self, addr: IpAddr) -> IpVerdict {
        let Some(words) = &self.words else {
            return IpVerdict::Allowed;
        };
        // `new` always writes the first word; if it were missing, nobody would get in.
        let Some((header, ranges)) = words.split_first() else {
            return IpVerdict::NotOnAllowList;
        };
        let v4_words = 2 * (header & !ALLOW) as usize;
        let Some((v4, v6)) = ranges.split_at_checked(v4_words) else {
            return IpVerdict::NotOnAllowList;
        };
        let listed = match addr.to_canonical() {
            IpAddr::V4(addr) => covers_v4(v4, addr),
            IpAddr::V6(addr) => covers_v6(v6, addr),
        };
        match (header & ALLOW != 0, listed) {
            (true, true) | (false, false) => IpVerdict::Allowed,
            (true, false) => IpVerdict::NotOnAllowList,
            (false, true) => IpVerdict::OnDenyList,
        }
    }

    /// Returns whether every address is allowed, so that no check is needed.
    #[must_use]
    pub fn allows_all(&self) -> bool {
        self.words.is_none()
    }
}

#[inline]
fn covers_v4(words: &[u32], addr: Ipv4Addr) -> bool {
    let addr = addr.to_bits();
    let (ranges, _) = words.as_chunks::<2>();
    let after = ranges.partition_point(|[first, _]| *first <= addr);
    let candidate = after.checked_sub(1).and_then(|index| ranges.get(index));
    candidate.is_some_and(|[_, last]| addr <= *last)
}

#[inline]
fn covers_v6(words: &[u32], addr: Ipv6Addr) -> bool {
    let addr = addr.to_bits();
    let (ranges, _) = words.as_chunks::<8>();
    let after = ranges.partition_point(|[a, b, c, d, ..]| join([*a, *b, *c, *d]) <= addr);
    let candidate = after.checked_sub(1).and_then(|index| ranges.get(index));
    candidate.is_some_and(|[.., a, b, c, d]| addr <= join([*a, *b, *c, *d]))
}

type Ranges<T> = Vec<(T, T)>;

/// Returns the enabled entries as sorted ranges that neither overlap nor touch.
pub(super) fn merged(entries: &[IpEntry]) -> (Ranges<u32>, Ranges<u128>) {
    let (mut v4, mut v6) = (Vec::new(), Vec::new());
    for entry in entries.iter().filter(|entry| entry.enabled) {
        match entry.net.net() {
            IpNet::V4(net) => v4.push((net.network().to_bits(), net.broadcast().to_bits())),
            IpNet::V6(net) => v6.push((net.network().to_bits(), net.broadcast().to_bits())),
        }
    }
    (
        merge(v4, |last| last.checked_add(1)),
        merge(v6, |last| last.checked_add(1)),
    )
}

fn merge<T: Copy + Ord>(mut ranges: Ranges<T>, next: impl Fn(T) -> Option<T>) -> Ranges<T> {
    ranges.sort_unstable();
    let mut merged: Ranges<T> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match merged.last_mut() {
            // `None`: the previous range ends with the last address.
            Some(before) if next(before.1).is_none_or(|after| first <= after) => {
                before.1 = before.1.max(last);
            }
            _ => merged.push((first, last)),
        }
    }
    merged
}

fn split(addr: u128) -> [u32; 4] {
    // Each shift leaves the wanted word lowest; the rest is meant to be cut off.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lowest word is what is wanted"
    )]
    [96, 64, 32, 0].map(|shift| (addr >> shift) as u32)
}

#[inline]
fn join(words: [u32; 4]) -> u128 {
    words
        .iter()
        .fold(0, |all, word| all << 32 | u128::from(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_and_overlaps_become_one_range() {
        let compiled = |deny: &str| {
            let policy = IpPolicy {
                deny: deny.parse().unwrap(),
                ..IpPolicy::default()
            };
            policy.compile().words.map_or(0, |words| words.len())
        };
        assert_eq!(compiled("10.0.0.0/9,10.128.0.0/9"), 1 + 2);
        assert_eq!(compiled("10.0.0.0/8,10.1.0.0/16,10.1.1.1"), 1 + 2);
        assert_eq!(compiled("10.0.0.1,10.0.0.3"), 1 + 4);
        assert_eq!(compiled("0.0.0.0/0,255.255.255.255"), 1 + 2);
        assert_eq!(compiled("::/0,ffff::/16"), 1 + 8);
        assert_eq!(compiled("!10.0.0.0/8"), 0);
    }

    #[test]
    fn compiled_policy_is_16_bytes_default_allows_all() {
        assert_eq!(size_of::<CompiledIpPolicy>(), 16);
        assert!(IpPolicy::default().compile().allows_all());
        let deny = "192.0.2.1".parse().unwrap();
        let policy = IpPolicy {
            deny,
            ..IpPolicy::default()
        };
        assert!(!policy.compile().allows_all());
    }
}
