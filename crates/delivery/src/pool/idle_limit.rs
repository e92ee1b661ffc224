//! The limit of idle connections, shared by all holders.
//!
//! A holder may use the whole limit while no other holder needs any. Once it is reached, a
//! connection of another holder replaces the oldest one of the largest holder, if that one has more
//! than a sixteenth. If nobody has more, or the adding holder has most, the new connection is not
//! kept. Thus, if more origins than the limit are used in turn, the kept connections are reused.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A holder with more than one in this many connections loses connections to others.
const SHARES: usize = 16;

/// The owner of idle connections.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Holder {
    /// The group whose requests use the connections.
    Group(u128),
    /// The shelf at this address in memory, if its requests have no group.
    Shelf(usize),
}

/// All idle connections, each with its location. A call costs the logarithm of their number,
/// however many holders and locations there are.
#[derive(Debug)]
pub(super) struct IdleLimit<T> {
    limit: usize,
    books: Mutex<Books<T>>,
}

#[derive(Debug)]
struct Books<T> {
    /// The oldest connection of each holder comes first.
    idle: BTreeMap<(Holder, u64), T>,
    counts: HashMap<Holder, usize>,
    /// The holders with more than their share: fewer than [`SHARES`].
    large: Vec<Holder>,
    next: u64,
}

/// A connection that is kept.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Kept<T> {
    /// Higher than all earlier numbers.
    pub(super) number: u64,
    /// The location and the number of the connection that is closed for it. It no longer counts.
    pub(super) instead_of: Option<(T, u64)>,
}

impl<T> IdleLimit<T> {
    pub(super) fn new(limit: usize) -> Self {
        let books = Books {
            idle: BTreeMap::new(),
            counts: HashMap::new(),
            large: Vec::new(),
            next: 0,
        };
        Self {
            limit,
            books: Mutex::new(books),
        }
    }

    /// Adds a connection at this location. `None` means that it cannot be kept.
    pub(super) fn add(&self, holder: Holder, place: T) -> Option<Kept<T>> {
        let mut books = self.books();
        let mut instead_of = None;
        if books.idle.len() >= self.limit {
            instead_of = Some(books.give_up(holder, self.share())?);
        }
        let number = books.next;
        books.next += 1;
        books.idle.insert((holder, number), place);
        let count = books.counts.entry(holder).or_default();
        *count += 1;
        if *count == self.share() + 1 {
            books.large.push(holder);
        }
        Some(Kept { number, instead_of })
    }

    /// Removes a connection.
    pub(super) fn remove(&self, holder: Holder, number: u64) {
        self.books().remove((holder, number), self.share());
    }

    fn share(&self) -> usize {
        (self.limit / SHARES).max(1)
    }

    fn books(&self) -> MutexGuard<'_, Books<T>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Books<T> {
    /// Removes the oldest connection of the largest holder, if that one has more than `adds`.
    fn give_up(&mut self, adds: Holder, share: usize) -> Option<(T, u64)> {
        let count = |holder: &Holder| self.counts.get(holder).copied().unwrap_or_default();
        let largest = *self.large.iter().max_by_key(|holder| count(holder))?;
        if count(&largest) <= count(&adds) {
            return None;
        }
        let mut of_largest = self.idle.range((largest, 0)..=(largest, u64::MAX));
        let (oldest, _) = of_largest.next()?;
        let oldest = *oldest;
        let place = self.remove(oldest, share)?;
        Some((place, oldest.1))
    }

    fn remove(&mut self, one: (Holder, u64), share: usize) -> Option<T> {
        let place = self.idle.remove(&one)?;
        let count = self.counts.get_mut(&one.0)?;
        *count -= 1;
        if *count == share {
            self.large.retain(|holder| *holder != one.0);
        }
        if *count == 0 {
            self.counts.remove(&one.0);
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 32;
    const SHARE: usize = 2;

    proptest::proptest! {
        #[test]
        fn holder_gives_up_most_only_above_its_share(
            steps in proptest::collection::vec((0..20_u128, 0..4_u8), 0..400)
        ) {
            let idle = IdleLimit::new(LIMIT);
            let mut kept: Vec<(u128, u64)> = Vec::new();
            let count = |kept: &[(u128, u64)], of| kept.iter().filter(|(one, _)| *one == of).count();
            for (holder, step) in steps {
                if step == 0 {
                    if let Some(at) = kept.iter().rposition(|(one, _)| *one == holder) {
                        let (_, number) = kept.remove(at);
                        idle.remove(Holder::Group(holder), number);
                    }
                    continue;
                }
                let own = count(&kept, holder);
                let most = (0..20).map(|one| count(&kept, one)).max().unwrap();
                let is_full = kept.len() == LIMIT;
                let gives_up = is_full && most > SHARE && most > own;
                let Some(added) = idle.add(Holder::Group(holder), holder) else {
                    assert!(is_full && !gives_up);
                    continue;
                };
                assert_eq!(added.instead_of.is_some(), gives_up);
                if let Some((victim, number)) = added.instead_of {
                    assert_eq!(count(&kept, victim), most);
                    let at = kept.iter().position(|(one, _)| *one == victim).unwrap();
                    assert_eq!(kept.remove(at), (victim, number), "the oldest");
                }
                kept.push((holder, added.number));
                assert!(idle.books().large.len() < SHARES);
            }
            for (holder, number) in kept {
                idle.remove(Holder::Group(holder), number);
            }
            let books = idle.books();
            assert!(books.idle.is_empty() && books.counts.is_empty() && books.large.is_empty());
        }
    }

    #[test]
    fn group_holding_all_gives_up_a_sixteenth_each() {
        let idle = IdleLimit::new(LIMIT);
        for place in 0..LIMIT {
            assert!(
                idle.add(Holder::Group(0), place)
                    .unwrap()
                    .instead_of
                    .is_none()
            );
        }
        assert_eq!(
            idle.add(Holder::Group(0), LIMIT),
            None,
            "nobody else has any"
        );
        for group in 1..SHARES as u128 {
            for _ in 0..SHARE {
                assert!(
                    idle.add(Holder::Group(group), 0)
                        .unwrap()
                        .instead_of
                        .is_some()
                );
            }
        }
        assert_eq!(idle.add(Holder::Group(SHARES as u128), 0), None);
    }

    /// By age only, each would be closed before its next use.
    #[test]
    fn origins_used_in_turn_some_are_found_again() {
        let own = |origin: usize| Holder::Shelf(origin);
        let one = |_: usize| Holder::Group(1);
        for holder in [own, one] {
            let (idle, mut lying) = (IdleLimit::new(LIMIT), HashMap::new());
            let mut found = 0;
            for origin in (0..2 * LIMIT).chain(0..2 * LIMIT) {
                if let Some(number) = lying.remove(&origin) {
                    idle.remove(holder(origin), number);
                    found += 1;
                }
                if let Some(kept) = idle.add(holder(origin), origin) {
                    assert_eq!(kept.instead_of, None);
                    lying.insert(origin, kept.number);
                }
            }
            assert!(found >= LIMIT - 1, "{found}");
        }
    }
}
