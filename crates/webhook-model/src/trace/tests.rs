use proptest::prelude::*;

use super::*;

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn traceparent_parses_per_w3c_recommendation() {
    let parent: TraceParent = PARENT.parse().unwrap();
    assert_eq!(parent.trace_id(), 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
    assert_eq!(parent.span_id(), 0x00f0_67aa_0ba9_02b7);
    assert!(parent.is_sampled());
    assert_eq!(parent.to_string(), PARENT);
    let unknown_flags = PARENT.replace("-01", "-fe");
    let parent: TraceParent = unknown_flags.parse().unwrap();
    assert!(!parent.is_sampled());
    assert_eq!(parent.to_string(), PARENT.replace("-01", "-00"));
}

#[test]
fn invalid_traceparent_is_rejected_per_recommendation() {
    let zero_trace = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
    let zero_span = "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01";
    let refused = [
        "",
        "00",
        zero_trace,
        zero_span,
        &PARENT.to_uppercase(),
        &PARENT.replacen("00-", "01-", 1),
        &PARENT.replacen("00-", "ff-", 1),
        &PARENT.replace("-01", ""),
        &PARENT.replace("-01", "-1"),
        &format!("{PARENT}-00"),
        &format!(" {PARENT}"),
        &PARENT.replace("4bf9", "+bf9"),
        &PARENT.replace('-', "_"),
        &PARENT.replace("4bf", "4bé"),
    ];
    for text in refused {
        let refused = text.parse::<TraceParent>();
        assert_eq!(refused, Err(InvalidTrace::Parent), "{text}");
    }
}

#[test]
fn a_tracestate_is_a_list_of_different_members() {
    let read = |text: &str| TraceState::parse(text).map(|state| state.map(|s| s.to_string()));
    let kept = |text: &str| Ok(Some(text.to_owned()));
    assert_eq!(
        read("a=1,\tb_-*/=x y ,,1t@s=~"),
        kept("a=1,b_-*/=x y,1t@s=~")
    );
    assert_eq!(read(" , ,"), Ok(None));
    let many = |count: usize| {
        let members = (0..count).map(|n| format!("k{n}=v"));
        members.collect::<Vec<_>>().join(",")
    };
    assert_eq!(read(&many(32)), kept(&many(32)));
    for refused in [
        "a",
        "a=",
        "=1",
        "a=1,a=2",
        "A=1",
        "1a=1",
        "a=1=2",
        "a=é",
        "t@1s=1",
        "@s=1",
        "a b=1",
        "a=\u{7f}",
        &many(33),
    ] {
        assert_eq!(read(refused), Err(InvalidTrace::State), "{refused}");
    }
}

#[test]
fn long_tracestate_drops_long_members_then_last() {
    let member = |key: &str, length: usize| format!("{key}={}", "v".repeat(length - 2));
    let [a, b, c] = ["a", "b", "c"].map(|key| member(key, 128));
    let long = member("l", 129);
    let fits = format!("{a},{long},{b}");
    assert_eq!(fits.parse::<TraceState>().unwrap().as_str(), fits);
    let five = format!("{a},{long},{b},{c},{}", member("d", 128));
    let kept = five.parse::<TraceState>().unwrap();
    assert_eq!(kept.as_str(), format!("{a},{b},{c}"));
    let huge = member("h", 258);
    assert!(
        format!("{huge},{}", member("i", 258))
            .parse::<TraceState>()
            .is_err()
    );
}

#[test]
fn invalid_tracestate_is_dropped_without_losing_traceparent() {
    let read = TraceContext::from_headers(PARENT, Some("NO"));
    assert_eq!(read, Some(PARENT.parse().unwrap()));
    assert_eq!(TraceContext::from_headers("NO", Some("a=1")), None);
    let both = TraceContext::from_headers(PARENT, Some("a=1, b=2")).unwrap();
    assert_eq!(both.to_string(), format!("{PARENT} a=1,b=2"));
}

proptest! {
    #[test]
    fn every_span_reads_back_as_it_was_written(
        trace in 1..=u128::MAX, span in 1..=u64::MAX, sampled: bool
    ) {
        let parent = TraceParent::new(trace, span, sampled).unwrap();
        let text = parent.to_string();
        prop_assert_eq!(text.len(), PARENT.len());
        prop_assert_eq!(text.parse(), Ok(parent));
    }

    #[test]
    fn trace_context_round_trips_within_568_bytes(state in "[a-e=, \t@z1]{0,700}") {
        if let Some(context) = TraceContext::from_headers(PARENT, Some(&state)) {
            let text = context.to_string();
            prop_assert!(text.len() <= 568, "{}", text.len());
            prop_assert_eq!(text.parse(), Ok(context));
        }
    }

    #[test]
    fn arbitrary_trace_text_never_panics(text in "(00-)?\\PC{0,80}") {
        if let Ok(parent) = text.parse::<TraceParent>() {
            prop_assert_eq!(parent.to_string().len(), text.len());
        }
        let _ = TraceState::parse(&text);
    }
}
