//! A program with a single test, because it counts the allocations of its process: rendering
//! allocates its result and nothing else.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use webhook_model::{Template, Values};

#[test]
fn the_result_is_the_only_allocation() {
    let long = "\"\u{1}\n".repeat(1000);
    for (message, name) in [
        (r#"{"a":"${NAME}","at":${TIMESTAMP}}"#, "plain"),
        (r#"{"a":"${NAME}${NAME}","b":${NAME},"n":${RANDOM}}"#, &long),
        (
            "${NAME} ${DATE} ${HOST} ${UNKNOWN} ${RANDOM}${RANDOM}",
            &long,
        ),
        (r#"["${HOST}",${HOST},"${UNKNOWN}"]"#, ""),
    ] {
        let template = Template::parse(&message.parse().unwrap());
        let values = Values::new("Thu, 16 Oct 2025 11:38:07 EDT", i64::MAX, name)
            .with_extra(&[("HOST", "h\"\\\u{1f}")]);
        let counted = allocation_counter::measure(|| {
            let rendered = template.render(&values, || u32::MAX).unwrap();
            assert!(rendered.len() > 10);
        });
        assert_eq!(counted.count_total, 1, "{message}");
    }
}
