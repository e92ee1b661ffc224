//! Which thread is this?

use std::cell::Cell;
use std::ptr;

thread_local! {
    /// Holds nothing: where it lies tells one thread from another.
    static PLACE: Cell<u8> = const { Cell::new(0) };
}

/// A thread, as long as it lives.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Thread(usize);

impl Thread {
    /// The one that asks.
    #[inline]
    pub(crate) fn here() -> Self {
        Self(PLACE.with(|place| ptr::from_ref(place).addr()))
    }

    /// Never 0, and in all likelihood nobody else's.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.spread().max(1)
    }

    /// One of a number of parts, a power of two, over which threads are spread.
    #[inline]
    pub(crate) fn part(self, of: usize) -> usize {
        usize::try_from(self.spread()).unwrap_or(0) & (of - 1)
    }

    /// Threads lie apart by the size of their stacks; a multiplication spreads that.
    fn spread(self) -> u32 {
        let spread = (self.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        u32::try_from(spread).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_itself_and_no_other_that_lives() {
        let here = Thread::here();
        assert_eq!(here, Thread::here());
        std::thread::scope(|scope| {
            let other = scope.spawn(Thread::here);
            assert_ne!(other.join().unwrap(), here);
        });
        assert!(here.number() > 0 && here.part(16) < 16);
    }
}
