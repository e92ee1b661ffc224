use super::compiled::merged;
use super::policy::IpPolicy;

/// First and last addresses of ranges that are sorted and neither overlap nor touch.
type Ranges = Vec<(u128, u128)>;

impl IpPolicy {
    /// Returns whether `other` allows every address that this policy allows.
    ///
    /// It compares the addresses, not the entries: `10.0.0.0/9,10.128.0.0/9` is within
    /// `10.0.0.0/8`, a deny list may be within an allow list, and an allow list whose entries are
    /// all disabled is within everything.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        let (mine, others) = (allowed(self), allowed(other));
        mine.iter().zip(&others).all(|(mine, others)| {
            mine.iter().all(|(first, last)| {
                let after = others.partition_point(|(begin, _)| begin <= first);
                let before = after.checked_sub(1).and_then(|index| others.get(index));
                before.is_some_and(|(_, end)| last <= end)
            })
        })
    }
}

/// Returns the IPv4 and IPv6 addresses that may use a key.
fn allowed(policy: &IpPolicy) -> [Ranges; 2] {
    let is_allow = !policy.allow.is_empty();
    let list = if is_allow {
        &policy.allow
    } else {
        &policy.deny
    };
    let (v4, v6) = merged(list.entries());
    let v4 = v4.into_iter().map(|(a, b)| (a.into(), b.into())).collect();
    if is_allow {
        return [v4, v6];
    }
    [complement(&v4, u32::MAX.into()), complement(&v6, u128::MAX)]
}

/// Returns the gaps between and around the ranges, up to the last address.
fn complement(ranges: &Ranges, last: u128) -> Ranges {
    let mut free = Some(0);
    let mut out = Ranges::with_capacity(ranges.len() + 1);
    for (begin, end) in ranges {
        let gap = free.zip(begin.checked_sub(1));
        out.extend(gap.filter(|(first, before)| first <= before));
        free = end.checked_add(1).filter(|next| *next <= last);
    }
    out.extend(free.map(|first| (first, last)));
    out
}
