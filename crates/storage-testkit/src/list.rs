//! The lists of clauses, and the tests made of them.

/// Calls the macro in brackets with the rest in brackets and then the name of each clause about keys.
#[macro_export]
macro_rules! for_each_key_clause {
    ([$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            k01_a_key_is_found_by_number_and_lookup
            k02_an_owner_has_a_name_once
            k03_a_lookup_id_exists_once
            k04_one_of_racing_inserts_wins
            k05_a_stale_edit_is_refused
            k06_an_edit_keeps_what_identifies_a_key
            k07_a_deleted_key_is_not_found
            k08_a_row_number_is_given_once
            k09_edits_and_deletions_move_the_generation
            k10_changes_name_what_changed
            k11_the_newest_login_wins
            k12_a_walk_neither_skips_nor_repeats
            k13_times_are_kept_to_the_microsecond
            k14_a_login_is_no_edit
            k15_lists_hold_what_was_asked_for
            k16_an_edit_creates_nothing
        }
    };
}

/// Calls the macro in brackets with the rest in brackets and then the name of each clause about the queue.
#[macro_export]
macro_rules! for_each_queue_clause {
    ([$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            q01_due_is_inclusive
            q02_the_oldest_due_comes_first
            q03_no_delivery_is_given_to_two
            q04_a_lease_holds_until_its_end
            q05_an_old_token_settles_nothing
            q06_a_repeated_settlement_is_done_once
            q07_a_retry_keeps_count_in_its_own_lane
            q08_a_release_counts_no_attempt
            q09_lost_claims_end_a_delivery
            q10_an_occurrence_happens_once
            q11_changed_routes_store_nothing
            q12_consumed_tasks_go_with_the_enqueue
            q13_what_is_leased_is_not_claimed
            q14_a_paused_webhook_is_not_claimed
            q15_in_order_gives_the_head_alone
            q16_a_late_settlement_counts_until_reclaimed
            q17_due_lanes_come_in_pages
            q18_next_due_lies_after_now
            q19_an_unknown_webhook_is_refused
            q20_a_known_message_id_stores_nothing
            q21_a_deleted_webhook_makes_settlements_stale
        }
    };
}

/// One test for each clause about keys. Takes the path of an `async fn() -> Arc<dyn KeyStore>`.
#[macro_export]
macro_rules! key_store_conformance {
    ($fresh:path) => {
        $crate::for_each_key_clause! { [$crate::conformance_tests] keys, $fresh }
    };
}

/// One test for each clause about the queue. Takes the path of an `async fn() -> Webhooks`.
#[macro_export]
macro_rules! queue_conformance {
    ($fresh:path) => {
        $crate::for_each_queue_clause! { [$crate::conformance_tests] queue, $fresh }
    };
}

/// The tests of the two macros above; not for use by itself.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ([$room:ident, $fresh:path] $($clause:ident)*) => {
        $(
            #[test]
            fn $clause() {
                $crate::block_on(async { $crate::$room::$clause($fresh().await).await });
            }
        )*
    };
}
