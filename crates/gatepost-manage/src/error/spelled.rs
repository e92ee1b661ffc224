//! Numbers and names in the texts of errors.

use std::time::Duration;

/// Some names, and how many more there are.
pub(super) fn names(names: &[String], more: u64) -> String {
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// A time in whole seconds, in words.
pub(super) fn spell(time: Duration) -> String {
    match seconds(time) {
        1 => "1 second".to_owned(),
        many => format!("{many} seconds"),
    }
}

/// Whole seconds, and never less than it takes.
pub(super) fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_to_wait_is_spelled() {
        assert_eq!(spell(Duration::from_millis(1)), "1 second");
        assert_eq!(spell(Duration::from_secs(1)), "1 second");
        assert_eq!(spell(Duration::from_millis(1_001)), "2 seconds");
    }
}
