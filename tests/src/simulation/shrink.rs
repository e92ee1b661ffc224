//! The smallest script with the same effect.

use super::script::Script;

/// Removes steps, in ever smaller groups, as long as `does_it` still holds; calls it at most this
/// number of times.
#[must_use]
pub fn shrunk(script: &Script, does_it: impl Fn(&Script) -> bool, mut tries: u32) -> Script {
    let mut smallest = script.clone();
    let mut size = smallest.steps.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < smallest.steps.len() && tries > 0 {
            let mut without = smallest.clone();
            let end = (at + size).min(without.steps.len());
            without.steps.drain(at..end);
            tries -= 1;
            if does_it(&without) {
                smallest = without;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    smallest
}
