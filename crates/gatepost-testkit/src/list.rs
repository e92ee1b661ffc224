//! The lists of contract tests.

/// Calls the macro in brackets with the rest in brackets, and then the name of each contract test
/// of a kind. The tests of `kept_…` kinds are those of durable stores; the tests of `…scenario`
/// kinds are texts.
#[macro_export]
macro_rules! for_each_contract_test {
    (key [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            k01_a_key_is_found_by_number_and_lookup
            k02_an_owner_has_a_name_once
            k03_a_lookup_id_exists_once
            k04_one_of_racing_inserts_wins
            k05_a_stale_edit_is_refused
            k06_an_edit_keeps_the_identity_of_a_key
            k07_a_deleted_key_is_not_found
            k08_a_row_number_is_given_once
            k09_edits_and_deletions_move_the_generation
            k10_changes_name_the_changed_keys
            k11_the_newest_login_wins
            k12_a_walk_neither_skips_nor_repeats
            k13_times_are_kept_to_the_microsecond
            k14_a_login_is_no_edit
            k15_lists_match_their_query
            k16_an_edit_creates_nothing
            k17_an_error_reveals_no_digest
            k19_no_more_keys_than_allowed
            k20_a_change_moves_only_its_own_shard
            k21_a_list_holds_the_keys_of_its_scope
            k22_a_removed_owner_has_no_keys
            k23_owners_of_keys_without_a_row_are_found
            k24_uses_of_a_day_add_up
            k25_uses_go_with_their_key
            k26_the_oldest_uses_are_removed
            k27_a_use_is_no_edit
            k28_grants_of_a_key_are_kept
            k29_keys_are_listed_as_they_expire
            k30_a_limit_of_requests_is_kept
            k31_a_rolled_key_has_a_successor
            k32_a_roll_is_whole_or_nothing
            k34_a_restored_store_gives_no_number_twice
        }
    };
    (whole_key [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            f01_every_field_of_a_key_is_kept
        }
    };
    (kept_key [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            k18_keys_outlive_the_store
            k33_changes_outlive_the_store
        }
    };
    (record [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            r01_a_record_comes_back_as_it_was_stored
            r02_times_are_kept_to_the_microsecond
            r08_the_longest_texts_are_kept
            r15_routes_are_read_together
            r21_an_error_reveals_no_secret
            r26_tasks_come_with_their_messages
            r27_readable_records_are_not_listed_as_unreadable
            r29_no_more_bytes_than_allowed
            r30_usage_counts_existing_records
            r31_a_list_holds_the_rows_of_its_scope
            r33_a_realm_matches_its_enabled_records
            r35_routes_of_an_event_equal_those_of_all
            r36_every_realm_has_a_version
            r37_changes_are_the_difference_of_two_reads
            r38_changes_add_up_after_random_ones
            r39_a_thousand_changes_are_remembered
            r40_a_list_reads_the_requested_bodies
            r41_heads_agree_with_their_records
            r42_an_event_is_matched_by_its_filter
            r43_a_webhook_is_matched_by_its_channels
            r44_records_are_stored_together_or_not_at_all
        }
    };
    (owner [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            p02_no_version_is_given_twice
            p15_a_removed_owner_has_nothing
            p16_a_tenant_goes_with_its_owners
            p17_a_removed_owner_comes_back_with_nothing
            p18_deleted_rows_are_removed_in_batches
            p19_a_restored_store_gives_no_number_twice
        }
    };
    (scenario [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            o01_an_occurrence_waits_as_it_was_pushed
            q02_the_oldest_due_comes_first
            q03_no_delivery_is_given_to_two
            q04_a_lease_holds_until_its_end
            q05_an_old_token_settles_nothing
            q06_a_repeated_settlement_is_done_once
            q07_a_retry_waits_in_the_retry_queue
            q08_a_release_counts_no_attempt
            q09_lost_claims_end_a_delivery
            q10_an_occurrence_happens_once
            q11_changed_routes_store_nothing
            q12_consumed_tasks_go_with_the_enqueue
            q13_leased_deliveries_are_not_claimed
            q14_a_paused_webhook_is_not_claimed
            q15_in_order_gives_only_the_head
            q16_a_late_settlement_counts_until_reclaimed
            q18_next_due_lies_after_now
            q19_an_unknown_webhook_is_refused
            q21_a_deleted_webhook_ends_running_deliveries
            q25_each_realm_of_a_precondition_is_checked
            q26_each_row_of_a_precondition_is_checked
            q27_consumed_tasks_move_their_realm_versions
            q28_an_occurrence_is_known_in_its_realm
            q29_the_origin_is_checked_first
            q31_a_claim_has_its_class_and_revision
            q32_a_delivery_is_its_owners_and_its_tenants
            q33_lost_claims_wait_in_separate_queues
            q34_in_order_waits_for_lost_claims
            q37_deliveries_claimed_together_end_one_by_one
            q38_a_token_is_invalid_after_a_later_claim
            q39_a_lost_answer_is_asked_for_again
            q40_deleted_deliveries_fail_no_batch
            q41_in_order_holds_across_reclaims_and_replays
            q42_a_pause_holds_every_queue
            q44_unclaimable_queues_are_not_due
            q47_the_next_due_time_covers_all_waiting
            q50_a_message_id_is_no_key
            q51_removed_rows_stay_removed
            q52_a_settlement_repeated_after_the_removal_stores_nothing
            q53_fetched_deliveries_are_not_claimed
            l01_a_delivery_is_listed_as_it_was_enqueued
            l02_delivery_lists_match_their_query
            l04_a_replay_starts_over_with_the_same_bytes
            l06_a_cancelled_delivery_ends
            l32_retry_now_makes_waiting_deliveries_due
            l07_a_deleted_delivery_is_not_found
            l08_deliveries_held_too_long_expire
            l09_retention_by_age_never_takes_a_live_row
            l10_an_owner_over_share_loses_the_oldest
            l11_ids_of_occurrences_are_forgotten_by_age
            l12_the_figures_are_right
            l14_a_message_may_go_when_its_delivery_ends
            l15_a_response_may_not_be_kept
            l16_usage_of_owners_is_added_up
            l17_usage_of_an_owner_is_counted
            l23_hidden_deliveries_are_hidden_in_every_way
            l24_old_deliveries_are_hidden_in_every_way
            l27_figures_are_those_that_were_counted_last
            l29_an_end_without_attempt_counts_as_failed
            o02_the_oldest_rows_come_first
            o03_a_row_is_used_up_once
            o04_a_row_waits_until_its_enqueue_is_stored
            o05_a_row_set_aside_is_not_given_out
            o06_a_known_occurrence_uses_its_row_up
            o09_a_row_is_moved_on_turn_by_turn
            o11_a_row_is_put_off_at_its_turn
            o15_postponed_rows_delay_no_other_row
            o18_open_rows_of_an_audience_are_read
            p01_an_owner_is_in_its_realm
            p03_an_owner_change_moves_its_realm_version
            p04_owners_without_a_row_are_found
            p05_a_lease_has_one_holder
            p06_a_held_owner_sends_nothing
            p07_nothing_of_a_held_owner_expires
            p08_held_owners_are_listed_in_order
            p09_an_enqueue_after_a_suspension_is_not_stored
            p10_records_move_with_their_owner
            p11_waiting_deliveries_end_when_their_owner_moves
            p12_ended_deliveries_stay_with_their_tenant
            p13_a_first_placing_ends_nothing
            p14_an_enqueue_after_a_move_is_not_stored
            r03_webhook_names_are_unique_by_owner
            r04_a_stale_edit_is_refused
            r05_one_of_racing_edits_wins
            r06_missing_records_are_not_found
            r07_a_deleted_record_stays_deleted
            r09_a_task_needs_its_webhook
            r10_an_event_needs_its_task
            r11_a_webhook_in_use_is_kept
            r12_a_deleted_webhook_takes_all_that_is_its
            r13_a_deleted_task_leaves_its_deliveries
            r14_every_change_moves_the_version
            r16_the_newest_delivery_is_the_last_run
            r17_webhooks_are_listed_by_owner_and_name
            r18_tasks_are_listed_by_creator_webhook_and_name
            r19_events_are_listed_by_task_and_type
            r20_a_walk_neither_skips_nor_repeats
            r22_a_change_moves_only_its_own_realm
            r23_a_tasks_owner_is_its_webhooks
            r24_the_owner_of_a_record_is_found
            r25_webhooks_come_by_number
            r28_no_more_rows_than_allowed
            r32_a_filter_stays_within_its_scope
            r34_a_realm_that_is_too_large_is_not_read
        }
    };
    (queue [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            q01_due_is_inclusive
            q17_due_queues_come_in_pages
            q22_a_task_is_consumed_once
            q23_a_cancelled_enqueue_leaves_all_or_nothing
            q24_many_workers_claim_each_delivery_once
            q30_a_token_is_valid_only_for_its_delivery
            q35_row_numbers_rise_in_order_of_commit
            q36_no_enqueue_fails_by_another
            q43_due_queues_are_those_after_a_point
            q45_queues_are_those_of_the_requested_webhooks
            q46_a_sweep_visits_every_queue
            q48_enqueues_together_are_checked_in_order
            q49_stored_deliveries_are_sent_at_least_once
            q54_a_fetched_delivery_ends_once
        }
    };
    (log [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            l03_attempts_are_kept_and_numbered
            l13_a_list_holds_the_deliveries_of_its_scope
            l18_rejected_deliveries_are_counted
            l19_replays_go_on_counting
            l20_lists_are_by_each_state
            l21_lists_are_by_class
            l22_lists_are_by_time
            l25_retention_by_bytes_takes_the_oldest
            l26_outcomes_are_counted_by_the_hour
            l28_partitions_are_added_at_any_time
            l30_a_list_reads_the_requested_messages
            l31_the_last_attempts_are_the_last_of_all
            l33_a_delivery_names_its_cause
            l34_the_head_of_a_request_is_kept
        }
    };
    (outbox [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            o07_an_audience_comes_back
            o08_rows_come_when_they_are_due
            o10_remaining_tasks_are_stored_with_the_enqueue
            o12_audiences_take_turns
            o13_rows_decided_together_are_used_up_once
            o14_the_longest_waiting_audience_comes_first
            o16_trigger_input_waits_with_its_occurrence
            o17_whom_an_occurrence_is_for_waits_with_it
        }
    };
    (whole_webhook [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            f02_every_field_of_a_webhook_is_kept
            f03_every_field_of_a_task_is_kept
            f04_every_field_of_an_event_is_kept
            f05_every_field_of_an_owner_is_kept
            f06_every_field_of_a_delivery_is_kept
            f07_every_field_of_an_attempt_is_kept
            f08_every_field_of_an_outbox_row_is_kept
        }
    };
    (kept_webhook [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            d06_secrets_lie_sealed
            d11_attempts_lie_sealed
        }
    };
    (kept_scenario [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            d01_records_outlive_the_store
            d02_row_numbers_go_on
            d03_deliveries_outlive_the_store
            d04_a_claim_outlives_its_worker
            d05_occurrences_outlive_the_store
            d07_owners_outlive_the_store
            d08_turns_and_counts_outlive_the_store
            d10_queue_and_log_go_on
        }
    };
    (unreadable [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            d09_unreadable_rows_stop_nothing
        }
    };
    (audit [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            a01_an_entry_comes_back_as_it_was_added
            a02_a_walk_neither_skips_nor_repeats
            a03_list_matches_its_query
            a04_each_owner_keeps_the_newest
            a05_old_entries_are_removed
            a06_an_owner_can_be_forgotten
            a07_oversized_entry_is_refused_whole
            a08_a_number_is_given_once
            a09_added_at_once_all_are_there
        }
    };
    (whole_audit [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            f09_every_field_of_an_entry_is_kept
        }
    };
    (kept_audit [$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            a10_entries_outlive_the_store
            a11_a_restored_log_gives_no_number_twice
        }
    };
}

pub(crate) use for_each_contract_test;
