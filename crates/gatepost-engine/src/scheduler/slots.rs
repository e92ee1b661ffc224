//! The number of requests of each class that may be in flight.

/// Targets that responded last time come first, by how long they have been silent.
pub(super) const CLASSES: [Class; 8] = [
    Class::Busy,
    Class::Recent,
    Class::Regular,
    Class::Proven,
    Class::New,
    Class::Slow,
    Class::Lost,
    Class::Quarantine,
];

/// The expected behaviour of a request.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Class {
    /// The target responded within the last quarter of a second.
    Busy,
    /// The target responded within the last two seconds.
    Recent,
    /// The target responded within the last sixteen seconds.
    Regular,
    /// The target responded last time.
    Proven,
    /// The target was never tried.
    New,
    /// The target did not respond, or was slow three times; or the request has run for long.
    Slow,
    /// The delivery's claim was lost twice.
    Lost,
    /// The delivery's claim was lost among those of [`Lost`](Self::Lost).
    Quarantine,
}

impl Class {
    /// Whether the target responded last time.
    pub(super) fn responded(self) -> bool {
        self <= Self::Proven
    }
}

/// The slots of all classes.
#[derive(Debug)]
pub(super) struct Slots {
    pub(super) total: u32,
    in_flight: [u32; CLASSES.len()],
}

impl Slots {
    pub(super) fn new(total: u32) -> Self {
        Self {
            total,
            in_flight: [0; CLASSES.len()],
        }
    }

    pub(super) fn add(&mut self, class: Class) {
        self.in_flight[class as usize] += 1;
    }

    pub(super) fn remove(&mut self, class: Class) {
        let count = &mut self.in_flight[class as usize];
        *count = count.saturating_sub(1);
    }

    pub(super) fn all(&self) -> u32 {
        self.in_flight.iter().sum()
    }

    /// Returns a fraction of all slots, at least one.
    pub(super) fn part(&self, of: u32) -> u32 {
        (self.total / of).max(1)
    }

    /// Returns how many more requests of this class may begin. `is_late`: a webhook in
    /// [`Class::Proven`] waits beyond its deadline.
    pub(super) fn free(&self, class: Class, is_late: bool) -> u32 {
        let [.., new, slow, lost, quarantine] = self.in_flight;
        // Each class has a sixteenth that targets silent for longer cannot use.
        let steps = (Class::Proven as u32).saturating_sub(class as u32);
        let fast = self.fast();
        let free = match class {
            Class::Busy | Class::Recent | Class::Regular => {
                (fast + fast / 16 * steps).saturating_sub(self.used())
            }
            Class::Proven => fast.saturating_sub(self.used()).max(self.late(is_late)),
            Class::New => self.new_limit().saturating_sub(new),
            Class::Slow => self.part(2).saturating_sub(slow),
            Class::Lost => self.part(16).saturating_sub(lost),
            Class::Quarantine => 1_u32.saturating_sub(quarantine),
        };
        // Above twice the total there is a reserve, shared in the same way.
        let reserve = match class.responded() {
            true => self.part(128) * (1 + steps),
            false => self.part(32),
        };
        free.min((2 * self.total + reserve).saturating_sub(self.all()))
    }

    /// The used slots of those that Slow leaves. Late requests use none of them.
    fn used(&self) -> u32 {
        let [busy, recent, regular, proven, ..] = self.in_flight;
        busy + recent + regular + proven.saturating_sub(self.fast() / 8)
    }

    /// Slots for requests that wait beyond their deadline.
    fn late(&self, is_late: bool) -> u32 {
        let proven = self.in_flight[Class::Proven as usize];
        match is_late {
            true => (self.fast() / 8).max(1).saturating_sub(proven),
            false => 0,
        }
    }

    /// Slots that Slow leaves to targets that responded: half of all, or less if Slow has more than
    /// all, and always a part.
    fn fast(&self) -> u32 {
        let slow = self.in_flight[Class::Slow as usize];
        let beyond = slow.saturating_sub(self.total);
        let left = self.total - slow.min(self.total / 2);
        left.saturating_sub(beyond).max(self.part(32))
    }

    /// Slots that Slow leaves of its half, and always a part of all, which is less if those that
    /// began as new ones have more than that half.
    fn new_limit(&self) -> u32 {
        let slow = self.in_flight[Class::Slow as usize];
        let left = self.part(2).saturating_sub(slow);
        let always = (self.total.saturating_sub(slow) / 16).max(self.part(128));
        left.max(always)
    }

    /// The last slots of New, for webhooks that have just become ready. One is for the others.
    pub(super) fn newest(&self) -> u32 {
        self.part(128).min(self.new_limit().saturating_sub(1))
    }

    /// Whether only a realm with nothing in flight may begin one: from the last quarter of the
    /// slots that Slow leaves, and above twice the total.
    pub(super) fn is_short(&self, class: Class, is_late: bool) -> bool {
        let is_late = class == Class::Proven && self.late(is_late) > 0;
        let fast = self.fast();
        let is_short = class.responded() && !is_late && self.used() >= fast - fast / 4;
        is_short || self.all() >= 2 * self.total
    }
}

#[cfg(test)]
mod tests {
    use std::array;

    use super::*;

    /// Returns how many requests of all classes up to Slow may begin, if these are in flight.
    fn free(in_flight: [u32; 6], is_late: bool) -> [u32; 6] {
        let mut slots = Slots::new(1_024);
        slots.in_flight[..6].copy_from_slice(&in_flight);
        array::from_fn(|class| slots.free(CLASSES[class], is_late))
    }

    #[test]
    fn slots_of_classes_follow_what_is_slow() {
        for (slow, expected) in [
            (0, [1_216, 1_152, 1_088, 1_024, 512, 512]),
            (256, [912, 864, 816, 768, 256, 256]),
            (512, [608, 576, 544, 512, 32, 0]),
            (768, [608, 576, 544, 512, 16, 0]),
            (1_024, [608, 576, 544, 512, 8, 0]),
            (1_280, [304, 288, 272, 256, 8, 0]),
            (1_600, [38, 36, 34, 32, 8, 0]),
            (2_056, [24, 16, 8, 0, 8, 0]),
            (2_080, [0; 6]),
        ] {
            assert_eq!(free([0, 0, 0, 0, 0, slow], false), expected, "{slow} slow");
        }
        let slots = Slots::new(1_024);
        assert_eq!(slots.free(Class::Lost, false), 64);
        assert_eq!(slots.free(Class::Quarantine, false), 1);
    }

    #[test]
    fn each_class_reserves_slots_against_longer_silent_classes() {
        for (in_flight, expected) in [
            ([0, 0, 0, 1_152], [192, 128, 64, 0]),
            ([0, 0, 1_088, 0], [128, 64, 0, 0]),
            ([0, 1_152, 0, 0], [64, 0, 0, 0]),
            ([1_216, 0, 0, 0], [0; 4]),
        ] {
            let [busy, recent, regular, proven] = in_flight;
            let found = free([busy, recent, regular, proven, 0, 0], false);
            assert_eq!(found[..4], expected);
        }
    }

    #[test]
    fn late_webhooks_have_a_separate_eighth_of_slots() {
        let late = |in_flight: [u32; 4], is_late| {
            let [busy, recent, regular, proven] = in_flight;
            free([busy, recent, regular, proven, 0, 0], is_late)[3]
        };
        assert_eq!(late([1_216, 0, 0, 0], false), 0);
        assert_eq!(late([1_216, 0, 0, 0], true), 128);
        assert_eq!(late([1_116, 0, 0, 100], true), 28);
        // Nor is it taken from the others.
        assert_eq!(free([1_088, 0, 0, 128, 0, 0], true)[..3], [128, 64, 0]);
    }

    #[test]
    fn last_quarter_and_reserve_are_for_idle_realms() {
        let is_short = |in_flight: [u32; 6], class| {
            let mut slots = Slots::new(1_024);
            slots.in_flight[..6].copy_from_slice(&in_flight);
            slots.is_short(class, false)
        };
        assert!(!is_short([700, 67, 0, 0, 0, 0], Class::Recent));
        for class in [Class::Busy, Class::Recent, Class::Regular, Class::Proven] {
            assert!(is_short([700, 0, 68, 0, 0, 0], class));
        }
        assert!(!is_short([700, 68, 0, 0, 0, 0], Class::New));
        assert!(!is_short([0, 0, 0, 0, 0, 2_047], Class::New));
        assert!(is_short([0, 0, 0, 0, 0, 2_048], Class::New));
    }
}
