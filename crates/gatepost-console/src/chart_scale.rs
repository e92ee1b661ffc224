//! How high the bars of a chart are.

/// Of a hundred; what is there at all is seen.
pub(crate) fn height(value: u64, top: u64) -> u64 {
    let scaled = u128::from(value) * 100 / u128::from(top.max(1));
    let scaled = u64::try_from(scaled).unwrap_or(100);
    if value == 0 { 0 } else { scaled.clamp(1, 100) }
}

/// The round number at the top of an axis: 2, 4, 10, 20, 40, 100, …: half of it is round, too.
pub(crate) fn top(most: u64) -> u64 {
    let mut unit = 1_u64;
    loop {
        for step in [2, 4, 10] {
            let round = unit.saturating_mul(step);
            if round >= most || round == u64::MAX {
                return round;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_with_a_round_number() {
        let ends = [0, 1, 2, 3, 5, 11, 21, 41, 5_600].map(top);
        assert_eq!(ends, [2, 2, 2, 4, 10, 20, 40, 100, 10_000]);
        assert_eq!(top(u64::MAX), u64::MAX);
    }

    #[test]
    fn what_is_there_is_seen_and_fits() {
        assert_eq!(height(0, 10), 0);
        assert_eq!(height(1, 1_000_000), 1);
        assert_eq!(height(u64::MAX, u64::MAX), 100);
    }
}
