//! Who holds the connections that lie idle, and which one goes where those are too many: of who
//! holds most, the one that has lain longest. Otherwise one with many connections would keep
//! everybody else's from being used again.
//!
//! Where nobody holds more than who adds one, that one goes itself, but now and then: if each took
//! the place of the oldest, of origins that are used in turn and are more than there is room for,
//! none would ever be found again.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Between two that take the place of one of somebody who has no more.
const EXCHANGE: Duration = Duration::from_millis(10);

/// Who counts as one.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Holder {
    /// The group whose request used the connection last.
    Group(u128),
    /// The shelf at this address in memory, if that request was of no group.
    Shelf(usize),
}

/// All that lies idle, each with the place where it lies. A call costs the logarithm of their
/// number, however many holders and places there are.
#[derive(Debug)]
pub(super) struct Holders<T> {
    at_most: usize,
    books: Mutex<Books<T>>,
}

impl<T> Holders<T> {
    /// There is room for this number.
    pub(super) fn new(at_most: usize) -> Self {
        let books = Books {
            lying: BTreeMap::new(),
            held: HashMap::new(),
            by_held: BTreeMap::new(),
            next: 0,
            exchange: None,
        };
        Self {
            at_most,
            books: Mutex::new(books),
        }
    }

    /// One more lies there. Returns its number, which is higher than those before, and what goes
    /// if these are too many now: where it lies, and its number. It counts no longer.
    pub(super) fn add(&self, holder: Holder, place: T, now: Instant) -> (u64, Option<(T, u64)>) {
        let mut books = self.books();
        let number = books.add(holder, place);
        let are_too_many = books.lying.len() > self.at_most;
        let goes = are_too_many.then(|| books.give_up((holder, number), now));
        (number, goes.flatten())
    }

    /// It lies there no longer.
    pub(super) fn remove(&self, holder: Holder, number: u64) {
        self.books().remove(holder, number);
    }

    fn books(&self) -> MutexGuard<'_, Books<T>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Books<T> {
    /// Of each holder, what has lain longest comes first.
    lying: BTreeMap<(Holder, u64), T>,
    held: HashMap<Holder, Held>,
    /// Who has to give up first comes last.
    by_held: BTreeMap<Held, Holder>,
    next: u64,
    /// From when on one may take the place of one of somebody who has no more.
    exchange: Option<Instant>,
}

/// What a holder has: first by how many. Of two that have as many, who has the oldest counts as the
/// one with more.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Held {
    count: usize,
    oldest: Reverse<u64>,
}

impl<T> Books<T> {
    fn add(&mut self, holder: Holder, place: T) -> u64 {
        let number = self.next;
        self.next += 1;
        let count = self.take_out(holder) + 1;
        self.lying.insert((holder, number), place);
        self.put_in(holder, count);
        number
    }

    fn remove(&mut self, holder: Holder, number: u64) -> Option<T> {
        let place = self.lying.remove(&(holder, number))?;
        let count = self.take_out(holder).saturating_sub(1);
        self.put_in(holder, count);
        Some(place)
    }

    /// What goes once `added` is there.
    fn give_up(&mut self, added: (Holder, u64), now: Instant) -> Option<(T, u64)> {
        let (most, holder) = self.by_held.last_key_value()?;
        let own = self.held.get(&added.0).map_or(0, |held| held.count);
        let mut goes = (*holder, most.oldest.0);
        if most.count <= own {
            if self.exchange.is_some_and(|from| now < from) {
                goes = added;
            } else {
                self.exchange = Some(now + EXCHANGE);
            }
        }
        let (holder, number) = goes;
        Some((self.remove(holder, number)?, number))
    }

    /// Takes a holder out of the order, while what it has changes. Returns how many it had.
    fn take_out(&mut self, holder: Holder) -> usize {
        let Some(held) = self.held.remove(&holder) else {
            return 0;
        };
        self.by_held.remove(&held);
        held.count
    }

    /// Puts a holder in its place again, unless it has nothing.
    fn put_in(&mut self, holder: Holder, count: usize) {
        let mut of_holder = self.lying.range((holder, 0)..=(holder, u64::MAX));
        if let Some((&(_, oldest), _)) = of_holder.next() {
            let oldest = Reverse(oldest);
            let held = Held { count, oldest };
            self.held.insert(holder, held);
            self.by_held.insert(held, holder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: usize = 8;

    /// The one to go of all that lies, found by counting; and whether its holder has no more than
    /// that of the last.
    fn to_go(lying: &[(usize, u64)]) -> ((usize, u64), bool) {
        let count = |shelf: usize| lying.iter().filter(|(other, _)| *other == shelf).count();
        let order = |(shelf, number): &&(usize, u64)| (count(*shelf), Reverse(*number));
        let goes = *lying.iter().max_by_key(order).unwrap();
        let (last, _) = lying.last().unwrap();
        (goes, count(goes.0) <= count(*last))
    }

    proptest::proptest! {
        #[test]
        fn what_goes_is_what_counting_all_finds_and_what_is_gone_takes_no_room(
            steps in proptest::collection::vec((0..5_usize, 0..8_u64, proptest::bool::ANY), 0..200)
        ) {
            let holders = Holders::new(ROOM);
            let (mut lying, mut now) = (Vec::new(), Instant::now());
            let mut exchange = now;
            for (shelf, passed, is_added) in steps {
                now += Duration::from_millis(passed);
                if is_added {
                    let (number, goes) = holders.add(Holder::Shelf(shelf), shelf, now);
                    lying.push((shelf, number));
                    let expected = (lying.len() > ROOM).then(|| match to_go(&lying) {
                        (_, true) if now < exchange => (shelf, number),
                        (goes, is_exchange) => {
                            if is_exchange {
                                exchange = now + EXCHANGE;
                            }
                            goes
                        }
                    });
                    assert_eq!(goes, expected);
                    lying.retain(|one| Some(*one) != goes);
                } else if let Some(at) = lying.iter().rposition(|(other, _)| *other == shelf) {
                    let (_, number) = lying.remove(at);
                    holders.remove(Holder::Shelf(shelf), number);
                }
            }
            for (shelf, number) in lying {
                holders.remove(Holder::Shelf(shelf), number);
            }
            let books = holders.books();
            assert!(books.lying.is_empty() && books.held.is_empty() && books.by_held.is_empty());
        }
    }

    #[test]
    fn what_a_group_has_counts_together_wherever_it_lies() {
        let (holders, now) = (Holders::new(ROOM), Instant::now());
        let (one, _) = holders.add(Holder::Group(1), 0, now);
        for place in 1..ROOM {
            assert_eq!(holders.add(Holder::Group(2), place, now).1, None);
        }
        for place in 1..100 {
            let (_, goes) = holders.add(Holder::Group(2), ROOM + place, now);
            let (place, number) = goes.unwrap();
            assert!(place != 0 && number != one, "that of the other group");
        }
    }

    /// By the oldest, each would be gone when its turn comes again.
    #[test]
    fn of_twice_as_many_that_are_used_in_turn_some_are_found_again() {
        let (holders, now) = (Holders::new(ROOM), Instant::now());
        let mut lying = HashMap::new();
        let mut found = 0;
        for shelf in (0..2 * ROOM).chain(0..2 * ROOM) {
            let holder = Holder::Shelf(shelf);
            if let Some(number) = lying.remove(&shelf) {
                holders.remove(holder, number);
                found += 1;
            }
            let (number, goes) = holders.add(holder, shelf, now);
            lying.insert(shelf, number);
            if let Some((shelf, _)) = goes {
                lying.remove(&shelf);
            }
        }
        assert!(found >= ROOM - 1, "{found}");
    }
}
