//! The contract of an adapter as named tests.
//!
//! [`kit!`](crate::kit!) makes a test for every name in [`CASES`]. Each case breaks for at least one
//! store that is wrong in one respect, and for no other reason: those stores are this crate's own
//! tests.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a case panics if an adapter breaks the contract"
)]

mod changes;
mod durable;
mod fixture;
mod isolation;
mod order;
mod queues;
mod rows;
mod values;

use std::path::Path;

pub use fixture::Fixture;

use crate::contract::Kv;

/// One test of the contract.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Case {
    /// The name of the test.
    pub name: &'static str,
    /// Whether it opens the store's data again, and so needs a store that keeps them.
    pub durable: bool,
    /// The test. It panics if the store breaks the contract.
    pub run: fn(&Fixture),
}

/// One test for each [case](crate::kit::CASES). Takes a function that opens the store in a folder
/// of the file system, which exists, is empty at first and belongs to the test; a store elsewhere
/// takes the folder's name as its own. With `not durable` after it, the cases about what is kept
/// are ignored.
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

/// The cases for every store, by module; not for use by itself.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_case {
    ([$($then:tt)+] $($with:tt)*) => {
        $($then)+! { [$($with)*]
            order:
                keys_are_scanned_in_byte_order
                numbers_are_scanned_in_numeric_order
                backward_scans_reverse_forward_scans
                spans_include_from_and_exclude_to
                open_spans_reach_the_last_key
                empty_spans_have_no_rows
                stopped_scans_show_no_further_row
                tables_share_no_keys
                pages_join_to_the_whole_table;
            values:
                absent_keys_have_no_value
                empty_values_exist
                puts_replace_the_whole_value
                deleted_keys_are_gone
                longest_keys_are_whole
                largest_value_is_whole
                every_byte_is_kept
                largest_change_is_whole;
            changes:
                changes_read_their_own_writes
                changes_scan_their_own_writes
                failed_changes_leave_nothing
                callback_errors_are_returned
                failed_changes_block_nobody
                conflicting_runs_leave_nothing
                endless_conflicts_end
                later_views_show_a_change;
            isolation:
                views_show_one_moment
                scans_show_whole_changes
                concurrent_increments_all_count
                concurrent_inserts_only_one_succeeds
                write_skew_is_prevented
                phantoms_are_prevented;
            queues:
                peek_shows_rows_of_earlier_changes
                peeked_heads_are_taken_once;
        }
    };
}

/// The cases for durable stores, by module; not for use by itself.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_durable_case {
    ([$($then:tt)+] $($with:tt)*) => {
        $($then)+! { [$($with)*]
            durable:
                reopened_stores_have_everything
                failed_changes_stay_away
                returned_changes_survive_a_kill
                unfinished_changes_vanish
                handles_of_a_shared_store_agree;
        }
    };
}

macro_rules! cases {
    ([$durable:expr] $($module:ident: $($case:ident)*;)*) => {
        &[$($(Case { name: stringify!($case), durable: $durable, run: $module::$case },)*)*]
    };
}

/// The cases for every store.
pub const CASES: &[Case] = for_each_case! { [cases] false };
/// The cases for stores that keep what they stored.
pub const DURABLE_CASES: &[Case] = for_each_durable_case! { [cases] true };

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
    let folder = tempfile::tempdir().unwrap();
    (case.run)(&Fixture::new(folder.path(), test, open));
}
