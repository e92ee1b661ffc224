//! What must not compile: secrets that are serialised or printed, numbers out of range, URLs that
//! were not parsed.

#[test]
fn secrets_are_not_shown_and_wrong_values_not_built() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
