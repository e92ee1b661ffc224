//! The contract of an adapter as named tests.
//!
//! [`kit!`](crate::kit!) creates a test for every name in [`CASES`] and [`DURABLE_CASES`]. For each
//! of them this crate's own tests have a store that is wrong in one respect: that case fails on it,
//! and no other.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a case panics if an adapter breaks the contract"
)]

mod changes;
mod durable;
mod fixture;
mod isolation;
#[macro_use]
mod list;
mod order;
mod queues;
mod rows;
mod values;

use std::path::Path;

pub use fixture::Fixture;

use crate::contract::Kv;

/// The cases for every store.
pub const CASES: &[Case] = crate::for_each_case! { [cases] false };
/// The cases for stores that keep what they stored.
pub const DURABLE_CASES: &[Case] = crate::for_each_durable_case! { [cases] true };

/// One test of the contract.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Case {
    /// The name of the test.
    pub name: &'static str,
    /// Whether it opens the store's data again, and so needs a durable store.
    pub durable: bool,
    /// The test. It panics if the store breaks the contract.
    pub run: fn(&Fixture),
}

/// One test for each [case](crate::kit::CASES). Takes a function that opens the store in a folder
/// of the file system, which exists, is empty at first and belongs to the test; a store elsewhere
/// uses the folder's name as its own. With `not durable` after it, the cases about durability are
/// ignored.
///
/// Call it once in a module of a test. It needs feature `kit`.
#[macro_export]
macro_rules! kit {
    ($open:expr) => {
        $crate::for_each_case! { [$crate::kit_tests] $open; run }
        $crate::for_each_durable_case! { [$crate::kit_tests] $open; run }
    };
    ($open:expr, not durable) => {
        $crate::for_each_case! { [$crate::kit_tests] $open; run }
        $crate::for_each_durable_case! { [$crate::kit_tests] $open; ignored }
    };
}

/// The tests of `kit!`; not for use by itself.
#[doc(hidden)]
#[macro_export]
macro_rules! kit_tests {
    ([$open:expr; $mode:ident] $($module:ident: $($case:ident)*;)*) => {
        $($($crate::kit_test! { $open; $case; $mode })*)*
    };
}

/// One test of `kit!`; not for use by itself.
#[doc(hidden)]
#[macro_export]
macro_rules! kit_test {
    ($open:expr; $case:ident; run) => {
        #[test]
        fn $case() {
            $crate::kit::run(stringify!($case), module_path!(), $open);
        }
    };
    ($open:expr; $case:ident; ignored) => {
        #[test]
        #[ignore = "not durable"]
        fn $case() {
            $crate::kit::run(stringify!($case), module_path!(), $open);
        }
    };
}

/// Runs one case; the test in `module` has its name. `kit!` calls it.
pub fn run<K: Kv>(case: &str, module: &str, open: impl Fn(&Path) -> K + Send + Sync + 'static) {
    let case = CASES
        .iter()
        .chain(DURABLE_CASES)
        .find(|known| known.name == case)
        .unwrap();
    // A test binary names its tests without the crate.
    let module = module.split_once("::").map_or("", |(_, module)| module);
    let test = if module.is_empty() {
        case.name.into()
    } else {
        format!("{module}::{}", case.name)
    };
    if let Some(folder) = fixture::folder_of_the_first_process() {
        return (case.run)(&Fixture::new(&folder, test, open));
    }
    let folder = tempfile::tempdir().unwrap();
    (case.run)(&Fixture::new(folder.path(), test, open));
}
