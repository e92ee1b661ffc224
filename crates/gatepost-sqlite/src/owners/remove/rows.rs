//! Counts of rows.

/// Returns the number of rows that a statement changed.
pub(super) fn rows(changed: usize) -> u32 {
    u32::try_from(changed).unwrap_or(u32::MAX)
}
