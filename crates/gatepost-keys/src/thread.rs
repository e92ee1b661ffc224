//! The identity of a thread.

use std::cell::Cell;
use std::ptr;

thread_local! {
    /// Holds no data: its address identifies the thread.
    static PLACE: Cell<u8> = const { Cell::new(0) };
}

/// The identity of a living thread.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Thread(usize);

impl Thread {
    /// Returns the identity of the current thread.
    #[inline]
    pub(crate) fn here() -> Self {
        Self(PLACE.with(|place| ptr::from_ref(place).addr()))
    }

    /// Returns a number that is never 0 and almost certainly unique.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.spread().max(1)
    }

    /// Returns one of a number of parts, a power of two, over which threads are distributed.
    #[inline]
    pub(crate) fn part(self, of: usize) -> usize {
        usize::try_from(self.spread()).unwrap_or(0) & (of - 1)
    }

    /// Distributes the addresses, which are apart by the size of the stacks, by a multiplication.
    fn spread(self) -> u32 {
        let spread = (self.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        u32::try_from(spread).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_identity_is_stable_and_unique() {
        let here = Thread::here();
        assert_eq!(here, Thread::here());
        std::thread::scope(|scope| {
            let other = scope.spawn(Thread::here);
            assert_ne!(other.join().unwrap(), here);
        });
        assert!(here.number() > 0 && here.part(16) < 16);
    }
}
