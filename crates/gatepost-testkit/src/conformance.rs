//! Macros that make tests of the lists of contract tests.

/// Defines one test for each contract test of [`KeyStore`](gatepost_storage::KeyStore). Takes an
/// expression that makes a [`Harness`](crate::Harness); with `not durable` after it the contract
/// tests of durable stores are ignored.
#[macro_export]
macro_rules! key_store_conformance {
    ($harness:expr $(, not $durable:ident)?) => {
        $crate::for_each_clause! { key [$crate::conformance_tests] key_clauses, $harness; }
        $crate::for_each_clause! { whole_key [$crate::conformance_tests] key_clauses, $harness; }
        $crate::for_each_clause! {
            kept_key [$crate::conformance_tests] key_clauses, $harness; $($durable)?
        }
    };
}

/// Defines one test for each contract test of [`WebhookStore`](gatepost_storage::WebhookStore).
/// Takes an expression that makes a [`Harness`](crate::Harness); with `not durable` after it the
/// contract tests of durable stores are ignored.
#[macro_export]
macro_rules! webhook_store_conformance {
    ($harness:expr $(, not $durable:ident)?) => {
        $crate::for_each_clause! { record [$crate::conformance_tests] webhook_clauses, $harness; }
        $crate::for_each_clause! { owner [$crate::conformance_tests] webhook_clauses, $harness; }
        $crate::for_each_clause! { scenario [$crate::conformance_tests] webhook_clauses, $harness; }
        $crate::for_each_clause! { queue [$crate::conformance_tests] webhook_clauses, $harness; }
        $crate::for_each_clause! { log [$crate::conformance_tests] webhook_clauses, $harness; }
        $crate::for_each_clause! { outbox [$crate::conformance_tests] webhook_clauses, $harness; }
        $crate::for_each_clause! {
            whole_webhook [$crate::conformance_tests] webhook_clauses, $harness;
        }
        $crate::for_each_clause! {
            kept_webhook [$crate::conformance_tests] webhook_clauses, $harness; $($durable)?
        }
        $crate::for_each_clause! {
            kept_scenario [$crate::conformance_tests] webhook_clauses, $harness; $($durable)?
        }
    };
}

/// Defines one test for each contract test of [`AuditStore`](gatepost_storage::AuditStore). Takes
/// an expression that makes a [`Harness`](crate::Harness); with `not durable` after it the contract
/// tests of durable stores are ignored.
#[macro_export]
macro_rules! audit_store_conformance {
    ($harness:expr $(, not $durable:ident)?) => {
        $crate::for_each_clause! { audit [$crate::conformance_tests] audit_clauses, $harness; }
        $crate::for_each_clause! {
            whole_audit [$crate::conformance_tests] audit_clauses, $harness;
        }
        $crate::for_each_clause! {
            kept_audit [$crate::conformance_tests] audit_clauses, $harness; $($durable)?
        }
    };
}

/// Defines one test for each contract test of records that cannot be read. Takes an expression that
/// makes a [`Harness`](crate::Harness) with [`spoil`](crate::Harness::spoil): for a store whose
/// records another version can overwrite, or whose records can lose the key that they are sealed
/// with.
#[macro_export]
macro_rules! unreadable_conformance {
    ($harness:expr) => {
        $crate::for_each_clause! {
            unreadable [$crate::conformance_tests] unreadable_clauses, $harness;
        }
    };
}

/// The tests of the macros above; not for use by itself.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ([$all:ident, $harness:expr;] $($clause:ident)*) => {
        $(
            #[test]
            fn $clause() {
                $crate::prove(&$crate::$all(), stringify!($clause), $harness);
            }
        )*
    };
    ([$all:ident, $harness:expr; durable] $($clause:ident)*) => {
        $(
            #[test]
            #[ignore = "not durable"]
            fn $clause() {
                $crate::prove(&$crate::$all(), stringify!($clause), $harness);
            }
        )*
    };
}
