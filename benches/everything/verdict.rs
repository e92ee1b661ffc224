//! The check whether something grew.

use crate::sample::{FIGURES, Look};

/// Compares the last quarter with the second one: in the first pools and caches are filled.
///
/// # Errors
/// If something is wrong, with a text that names it.
pub(crate) fn judge(looks: &[Look], missing: usize) -> Result<(), String> {
    let quarter = looks.len() / 4;
    let (early, late) = looks.split_at(quarter * 2);
    let (first, second) = early.split_at(quarter);
    let (third, last) = late.split_at(quarter);
    let mut wrong = Vec::new();
    println!("| | first quarter | second | third | last |");
    println!("|---|---|---|---|---|");
    for (at, (name, slack)) in FIGURES.into_iter().enumerate() {
        let [first, before, third, after] = [first, second, third, last].map(|q| median(q, at));
        println!("| {name} | {first:.1} | {before:.1} | {third:.1} | {after:.1} |");
        if after > before * 1.05 + slack {
            wrong.push(format!("{name} grew from {before:.1} to {after:.1}"));
        }
    }
    let log = [&looks[0], &looks[looks.len() - 1]].map(|look| look.log);
    println!("the log: {:.0} MiB, then {:.0}", log[0], log[1]);
    let errors: Vec<&str> = looks
        .iter()
        .flat_map(|look| look.errors.iter().map(String::as_str))
        .collect();
    if let Some(first) = errors.first() {
        wrong.push(format!("{} errors of the nine, as {first}", errors.len()));
    }
    if missing > 0 {
        wrong.push(format!("{missing} deliveries missing"));
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("; ")),
    }
}

fn median(looks: &[Look], at: usize) -> f64 {
    let mut figures: Vec<f64> = looks.iter().map(|look| look.figures[at]).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
