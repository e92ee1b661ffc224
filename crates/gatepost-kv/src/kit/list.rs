//! The names of the cases, by module.

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

/// A list of cases with their functions.
macro_rules! cases {
    ([$durable:expr] $($module:ident: $($case:ident)*;)*) => {
        &[$($(Case { name: stringify!($case), durable: $durable, run: $module::$case },)*)*]
    };
}
