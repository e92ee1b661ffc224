//! The lists of these contract tests.

/// Calls the macro in brackets with the rest in brackets and then the name of each contract test of
/// every field of a key.
#[macro_export]
macro_rules! for_each_whole_key_clause {
    ([$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            f01_every_field_of_a_key_is_kept
        }
    };
}

/// Calls the macro in brackets with the rest in brackets and then the name of each contract test of
/// every field of a webhook store's rows.
#[macro_export]
macro_rules! for_each_whole_webhook_clause {
    ([$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            f02_every_field_of_a_webhook_is_kept
            f03_every_field_of_a_task_is_kept
            f04_every_field_of_an_event_is_kept
            f05_every_field_of_an_owner_is_kept
            f06_every_field_of_a_delivery_is_kept
            f07_every_field_of_an_attempt_is_kept
            f08_every_field_of_a_row_of_the_outbox_is_kept
        }
    };
}

/// Calls the macro in brackets with the rest in brackets and then the name of each contract test of
/// every field of an audit log entry.
#[macro_export]
macro_rules! for_each_whole_audit_clause {
    ([$($then:tt)*] $($with:tt)*) => {
        $($then)*! { [$($with)*]
            f09_every_field_of_an_entry_is_kept
        }
    };
}

pub(crate) use for_each_whole_audit_clause;
pub(crate) use for_each_whole_key_clause;
pub(crate) use for_each_whole_webhook_clause;
