//! A result as a row of a table: backend, operation, the median with minimum and maximum of the
//! rounds, the goal.

use benches::platform::Kind;

/// Prints a result. The more rounds, the better minimum and maximum show its noise.
pub(crate) fn row(kind: Kind, what: &str, figures: &[f64], unit: &str, goal: &str) {
    let name = format!("{kind}: {what}");
    match (unit, goal.split_once(' ')) {
        ("x", Some(("<=", _))) => benches::keep(&name, figures, benches::Better::Less),
        ("x", Some((">=", _))) => benches::keep(&name, figures, benches::Better::More),
        _ => {}
    }
    let (median, low, high) = benches::spread(figures.to_vec());
    let digits = match median {
        m if m >= 100.0 => 0,
        m if m >= 10.0 => 1,
        _ => 2,
    };
    println!(
        "| {kind} | {what} | {median:.digits$} {unit} ({low:.digits$} to {high:.digits$}, {} rounds) | {goal} |",
        figures.len()
    );
}

/// Prints the ratios of two measurements taken in turn.
pub(crate) fn ratio(kind: Kind, what: &str, figures: &[f64], against: &[f64], goal: &str) {
    let ratios: Vec<f64> = figures.iter().zip(against).map(|(a, b)| a / b).collect();
    row(kind, what, &ratios, "x", goal);
}

/// Returns the wait below which this share of them lies, in milliseconds. `part` is in thousandths.
pub(crate) fn at(waits: &[std::time::Duration], part: usize) -> f64 {
    let mut waits = waits.to_vec();
    waits.sort();
    waits[(waits.len() - 1) * part / 1_000].as_secs_f64() * 1e3
}
