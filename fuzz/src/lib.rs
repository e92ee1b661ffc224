//! Input from strangers, and the properties that hold for any such input. README.md lists them
//! target by target.
#![allow(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a target panics where what must hold does not; nothing here is published"
)]

mod egress;
mod filter;
mod header_lines;
mod key;
mod retry_after;
mod signature;
mod signing_key;
mod template;

use arbitrary::{Arbitrary, Unstructured};

/// A target, which panics if its property does not hold for this input.
pub type Target = fn(&[u8]);

/// The targets by name, which is also that of a folder of `corpus`.
pub const TARGETS: [(&str, Target); 8] = [
    ("egress", |input| typed(input, egress::holds)),
    ("filter", |input| typed(input, filter::holds)),
    ("header_lines", |input| typed(input, header_lines::holds)),
    ("key", |input| typed(input, key::holds)),
    ("retry_after", |input| typed(input, retry_after::holds)),
    ("signature", |input| typed(input, signature::holds)),
    ("signing_key", |input| typed(input, signing_key::holds)),
    ("template", |input| typed(input, template::holds)),
];

/// Returns the target of this name.
#[must_use]
pub fn target(name: &str) -> Target {
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no target {name}")).1
}

/// Reads an input as libFuzzer's typed targets do, so that a file of `corpus` means the same to
/// both; an unreadable input is none.
fn typed<'a, T: Arbitrary<'a>>(input: &'a [u8], holds: fn(T)) {
    if input.len() < T::size_hint(0).0 {
        return;
    }
    if let Ok(input) = T::arbitrary_take_rest(Unstructured::new(input)) {
        holds(input);
    }
}
