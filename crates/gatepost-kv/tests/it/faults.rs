//! Stores that are wrong in one respect each, and the test of the kit that finds it.

/// Each fault, with the only case that finds it.
pub(crate) const FOUND: &[(Fault, &str)] = &[
    (Fault::IgnoresCase, "keys_are_scanned_in_byte_order"),
    (
        Fault::OrdersNumbersAsText,
        "numbers_are_scanned_in_numeric_order",
    ),
    (
        Fault::ForgetsDirectionInBounds,
        "backward_scans_reverse_forward_scans",
    ),
    (Fault::ExcludesTheFirst, "spans_include_from_and_exclude_to"),
    (Fault::EndsAtTheLastByte, "open_spans_reach_the_last_key"),
    (Fault::SwapsBounds, "empty_spans_have_no_rows"),
    (Fault::NeverStops, "stopped_scans_show_no_further_row"),
    (Fault::MixesTables, "tables_share_no_keys"),
    (Fault::EndsLongScans, "pages_join_to_the_whole_table"),
    (Fault::FindsTheNextKey, "absent_keys_have_no_value"),
    (Fault::HasNoEmptyValues, "empty_values_exist"),
    (
        Fault::KeepsTheRestOfLongerValues,
        "puts_replace_the_whole_value",
    ),
    (Fault::DeletesOnlyValues, "deleted_keys_are_gone"),
    (Fault::CutsLongKeys, "longest_keys_are_whole"),
    (Fault::CutsLargeValues, "largest_value_is_whole"),
    (Fault::CutsValuesAtZero, "every_byte_is_kept"),
    (Fault::LosesTheEndOfLargeChanges, "largest_change_is_whole"),
    (Fault::ReadsItsPast, "changes_read_their_own_writes"),
    (Fault::ScansItsPast, "changes_scan_their_own_writes"),
    (Fault::KeepsFailedChanges, "failed_changes_leave_nothing"),
    (Fault::ReplacesErrors, "callback_errors_are_returned"),
    (Fault::BreaksAfterAnError, "failed_changes_block_nobody"),
    (
        Fault::KeepsConflictingRuns,
        "conflicting_runs_leave_nothing",
    ),
    (Fault::GivesUpAsIfStored, "endless_conflicts_end"),
    (Fault::ShowsOldRowsElsewhere, "later_views_show_a_change"),
    (Fault::ReadsWhatIsNew, "views_show_one_moment"),
    (Fault::StoresRowByRow, "scans_show_whole_changes"),
    (Fault::LosesUpdates, "concurrent_increments_all_count"),
    (Fault::InsertsTwice, "concurrent_inserts_only_one_succeeds"),
    (Fault::ComparesWritesOnly, "write_skew_is_prevented"),
    (Fault::HasPhantoms, "phantoms_are_prevented"),
    (Fault::PeeksAtFew, "peek_shows_rows_of_earlier_changes"),
    (
        Fault::DeletesConflictWithNobody,
        "peeked_heads_are_taken_once",
    ),
];
/// Each fault of a store in a file, with the only case that finds it.
pub(crate) const FOUND_DURABLE: &[(FileFault, &str)] = &[
    (FileFault::ForgetsAtClose, "reopened_stores_have_everything"),
    (FileFault::WritesFailedChanges, "failed_changes_stay_away"),
    (FileFault::WritesAtClose, "returned_changes_survive_a_kill"),
    (FileFault::WritesWithinChanges, "unfinished_changes_vanish"),
    (
        FileFault::OverwritesOtherHandles,
        "handles_of_a_shared_store_agree",
    ),
];

/// The fault of a store.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    IgnoresCase,
    OrdersNumbersAsText,
    ForgetsDirectionInBounds,
    ExcludesTheFirst,
    EndsAtTheLastByte,
    SwapsBounds,
    NeverStops,
    MixesTables,
    EndsLongScans,
    FindsTheNextKey,
    HasNoEmptyValues,
    KeepsTheRestOfLongerValues,
    DeletesOnlyValues,
    CutsLongKeys,
    CutsLargeValues,
    CutsValuesAtZero,
    LosesTheEndOfLargeChanges,
    ReadsItsPast,
    ScansItsPast,
    KeepsFailedChanges,
    ReplacesErrors,
    BreaksAfterAnError,
    KeepsConflictingRuns,
    GivesUpAsIfStored,
    ShowsOldRowsElsewhere,
    ReadsWhatIsNew,
    StoresRowByRow,
    LosesUpdates,
    InsertsTwice,
    ComparesWritesOnly,
    HasPhantoms,
    PeeksAtFew,
    DeletesConflictWithNobody,
}

/// The fault of a store in a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FileFault {
    ForgetsAtClose,
    WritesFailedChanges,
    WritesAtClose,
    WritesWithinChanges,
    OverwritesOtherHandles,
}
