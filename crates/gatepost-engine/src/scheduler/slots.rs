//! How many requests of each class may be in flight.

/// In the order in which they are served.
pub(super) const CLASSES: [Class; 6] = [
    Class::Recent,
    Class::Proven,
    Class::New,
    Class::Slow,
    Class::Lost,
    Class::Quarantine,
];

/// What may be expected of a request.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Class {
    /// The target responded within the last ten seconds.
    Recent,
    /// The target responded last time.
    Proven,
    /// The target was never tried.
    New,
    /// The target did not respond, or took long three times; or the request runs for long.
    Slow,
    /// The delivery's claim was lost twice.
    Lost,
    /// The delivery's claim was lost among those of [`Lost`](Self::Lost).
    Quarantine,
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

    /// A fraction of all slots, at least one.
    pub(super) fn part(&self, of: u32) -> u32 {
        (self.total / of).max(1)
    }

    /// How many more requests of this class may begin. `is_late`: something in [`Class::Proven`]
    /// waits beyond its deadline.
    pub(super) fn free(&self, class: Class, is_late: bool) -> u32 {
        let [recent, proven, new, slow, lost, quarantine] = self.in_flight;
        let fast = self.fast();
        let late = self.late(is_late);
        let free = match class {
            Class::Recent => fast.saturating_sub(recent + proven + late),
            Class::Proven => {
                // An eighth is not for Proven, however many of them there are.
                let own = (fast - fast / 8).saturating_sub(proven);
                fast.saturating_sub(recent + proven).min(own).max(late)
            }
            Class::New => self.new_limit().saturating_sub(new),
            Class::Slow => self.part(2).saturating_sub(slow),
            Class::Lost => self.part(16).saturating_sub(lost),
            Class::Quarantine => 1_u32.saturating_sub(quarantine),
        };
        // Beyond twice all there is a reserve, half of it not for those that were silent.
        let reserve = match class {
            Class::Proven => self.part(64),
            _ => self.part(32),
        };
        free.min((2 * self.total + reserve).saturating_sub(self.all()))
    }

    /// Slots for what waits beyond its deadline: an eighth of what Recent and Proven share.
    fn late(&self, is_late: bool) -> u32 {
        let proven = self.in_flight[Class::Proven as usize];
        match is_late {
            true => (self.fast() / 8).max(1).saturating_sub(proven),
            false => 0,
        }
    }

    /// What Slow leaves to Recent and Proven: half of all, or less if Slow has more than all, and
    /// always a part.
    fn fast(&self) -> u32 {
        let slow = self.in_flight[Class::Slow as usize];
        let beyond = slow.saturating_sub(self.total);
        let left = self.total - slow.min(self.total / 2);
        left.saturating_sub(beyond).max(self.part(32))
    }

    /// What Slow leaves of its half, and always a part of all, which is less where those that began
    /// as new ones have more than that half.
    fn new_limit(&self) -> u32 {
        let slow = self.in_flight[Class::Slow as usize];
        let left = self.part(2).saturating_sub(slow);
        let always = (self.total.saturating_sub(slow) / 16).max(self.part(128));
        left.max(always)
    }

    /// The last slots of New, for those that have just come. One is for the others.
    pub(super) fn newest(&self) -> u32 {
        self.part(128).min(self.new_limit().saturating_sub(1))
    }

    /// Whether only a realm with nothing in flight may begin one: from the last quarter of what
    /// Recent and Proven share, and beyond twice all.
    pub(super) fn is_short(&self, class: Class, is_late: bool) -> bool {
        let [recent, proven, ..] = self.in_flight;
        let is_short = match class {
            Class::Proven if self.late(is_late) > 0 => false,
            Class::Recent | Class::Proven => recent + proven >= self.fast() - self.fast() / 4,
            _ => false,
        };
        is_short || self.all() >= 2 * self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Recent, Proven, New and Slow may begin, where these are in flight.
    fn free(in_flight: [u32; 4], is_late: bool) -> [u32; 4] {
        let mut slots = Slots::new(1_024);
        slots.in_flight[..4].copy_from_slice(&in_flight);
        let classes = [Class::Recent, Class::Proven, Class::New, Class::Slow];
        classes.map(|class| slots.free(class, is_late))
    }

    #[test]
    fn slots_of_classes_follow_what_is_slow() {
        for (slow, expected) in [
            (0, [1_024, 896, 512, 512]),
            (256, [768, 672, 256, 256]),
            (512, [512, 448, 32, 0]),
            (768, [512, 448, 16, 0]),
            (1_024, [512, 448, 8, 0]),
            (1_280, [256, 224, 8, 0]),
            (1_600, [32, 28, 8, 0]),
            (2_056, [24, 8, 8, 0]),
            (2_080, [0, 0, 0, 0]),
        ] {
            assert_eq!(free([0, 0, 0, slow], false), expected, "{slow} slow");
        }
        let slots = Slots::new(1_024);
        assert_eq!(slots.free(Class::Lost, false), 64);
        assert_eq!(slots.free(Class::Quarantine, false), 1);
    }

    #[test]
    fn late_webhooks_have_an_eighth_of_what_recent_have() {
        assert_eq!(free([0; 4], true)[..2], [896, 896]);
        assert_eq!(free([1_024, 0, 0, 0], false)[..2], [0, 0]);
        assert_eq!(free([1_024, 0, 0, 0], true)[..2], [0, 128]);
        assert_eq!(free([900, 100, 0, 0], true)[..2], [0, 28]);
        assert_eq!(free([0, 896, 0, 0], false)[..2], [128, 0]);
    }

    #[test]
    fn last_quarter_and_reserve_are_for_idle_realms() {
        let is_short = |in_flight: [u32; 4], class| {
            let mut slots = Slots::new(1_024);
            slots.in_flight[..4].copy_from_slice(&in_flight);
            slots.is_short(class, false)
        };
        assert!(!is_short([700, 67, 0, 0], Class::Recent));
        assert!(is_short([700, 68, 0, 0], Class::Recent));
        assert!(is_short([700, 68, 0, 0], Class::Proven));
        assert!(!is_short([700, 68, 0, 0], Class::New));
        assert!(!is_short([0, 0, 0, 2_047], Class::New));
        assert!(is_short([0, 0, 0, 2_048], Class::New));
    }
}
