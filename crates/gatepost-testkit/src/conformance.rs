//! Macros that make tests of the lists of contract tests.

/// Defines one test for each contract test of [`KeyStore`](gatepost_storage::KeyStore). Takes an
/// expression that makes a [`Harness`](crate::Harness); with `not durable` after it the contract
/// tests of durable stores are ignored.
#[macro_export]
macro_rules! key_store_conformance {
    ($harness:expr $(, not $durable:ident)?) => {
        $crate::for_each_contract_test! { key [$crate::conformance_tests] key_contract, $harness; }
        $crate::for_each_contract_test! { whole_key [$crate::conformance_tests] key_contract, $harness; }
        $crate::for_each_contract_test! {
            kept_key [$crate::conformance_tests] key_contract, $harness; $($durable)?
        }
    };
}

/// Defines one test for each contract test of [`WebhookStore`](gatepost_storage::WebhookStore).
/// Takes an expression that makes a [`Harness`](crate::Harness); with `not durable` after it the
/// contract tests of durable stores are ignored.
#[macro_export]
macro_rules! webhook_store_conformance {
    ($harness:expr $(, not $durable:ident)?) => {
        $crate::for_each_contract_test! { record [$crate::conformance_tests] webhook_contract, $harness; }
        $crate::for_each_contract_test! { owner [$crate::conformance_tests] webhook_contract, $harness; }
        $crate::for_each_contract_test! { scenario [$crate::conformance_tests] webhook_contract, $harness; }
        $crate::for_each_contract_test! { queue [$crate::conformance_tests] webhook_contract, $harness; }
        $crate::for_each_contract_test! { log [$crate::conformance_tests] webhook_contract, $harness; }
        $crate::for_each_contract_test! { outbox [$crate::conformance_tests] webhook_contract, $harness; }
        $crate::for_each_contract_test! {
            whole_webhook [$crate::conformance_tests] webhook_contract, $harness;
        }
        $crate::for_each_contract_test! {
            kept_webhook [$crate::conformance_tests] webhook_contract, $harness; $($durable)?
        }
        $crate::for_each_contract_test! {
            kept_scenario [$crate::conformance_tests] webhook_contract, $harness; $($durable)?
        }
    };
}

/// Defines one test for each contract test of [`AuditStore`](gatepost_storage::AuditStore). Takes
/// an expression that makes a [`Harness`](crate::Harness); with `not durable` after it the contract
/// tests of durable stores are ignored.
#[macro_export]
macro_rules! audit_store_conformance {
    ($harness:expr $(, not $durable:ident)?) => {
        $crate::for_each_contract_test! { audit [$crate::conformance_tests] audit_contract, $harness; }
        $crate::for_each_contract_test! {
            whole_audit [$crate::conformance_tests] audit_contract, $harness;
        }
        $crate::for_each_contract_test! {
            kept_audit [$crate::conformance_tests] audit_contract, $harness; $($durable)?
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
        $crate::for_each_contract_test! {
            unreadable [$crate::conformance_tests] unreadable_contract, $harness;
        }
    };
}

/// The tests of the macros above; not for use by itself.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ([$all:ident, $harness:expr;] $($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                $crate::prove(&$crate::$all(), stringify!($test), $harness);
            }
        )*
    };
    ([$all:ident, $harness:expr; durable] $($test:ident)*) => {
        $(
            #[test]
            #[ignore = "not durable"]
            fn $test() {
                $crate::prove(&$crate::$all(), stringify!($test), $harness);
            }
        )*
    };
}
