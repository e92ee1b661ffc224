//! Figures in one line.

/// The median of some figures, with the smallest and the largest.
#[must_use]
pub fn spread(mut figures: Vec<f64>) -> (f64, f64, f64) {
    figures.sort_by(f64::total_cmp);
    (
        figures[figures.len() / 2],
        figures[0],
        figures[figures.len() - 1],
    )
}
