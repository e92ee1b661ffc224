//! Classes of lanes as numbers.

use crate::webhooks::LaneClass;

/// The number under which a lane's class is stored: 0 for first attempts, 1 for retries, 2
/// for what is to be claimed alone.
#[must_use]
pub fn class_number(class: LaneClass) -> i16 {
    match class {
        LaneClass::First => 0,
        LaneClass::Retry => 1,
        LaneClass::Alone => 2,
    }
}

/// The class that [`class_number`] writes as `number`.
#[must_use]
pub fn class_of(number: i16) -> LaneClass {
    match number {
        0 => LaneClass::First,
        1 => LaneClass::Retry,
        _ => LaneClass::Alone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_reads_back_as_it_was_written() {
        for class in [LaneClass::First, LaneClass::Retry, LaneClass::Alone] {
            assert_eq!(class_of(class_number(class)), class);
        }
    }
}
