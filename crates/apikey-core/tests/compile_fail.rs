//! What must not compile: secrets that are revealed twice, cloned or serialised.

#[test]
fn secrets_cannot_be_copied_serialised_or_revealed_twice() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
