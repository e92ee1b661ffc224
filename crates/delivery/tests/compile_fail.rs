//! What must not compile.

#[test]
fn there_is_no_sender_without_a_policy() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
