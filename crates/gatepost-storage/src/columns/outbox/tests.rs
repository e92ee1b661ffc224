//! Valid and invalid rows of the outbox.

use gatepost_ids::{ObjectId, OwnerId, TenantId};

use super::*;
use crate::webhooks::OutboxAudience;

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn columns() -> OutboxColumns<'static> {
    OutboxColumns {
        event_type: "vms",
        event: "poweron",
        object_id: Some("7".into()),
        object_name: None,
        tags: "[1, 2]".into(),
        variables: r#"{"a":"b"}"#.into(),
        data: None,
        occurrence_id: None,
        webhooks: None,
        channel: None,
        tenant: None,
        owner: None,
        operators: false,
        trace: None,
    }
}

#[test]
fn variables_are_an_object_or_pairs() {
    assert_eq!(
        columns().occurrence().unwrap().variables,
        [("a".to_owned(), "b".to_owned())]
    );
    assert_eq!(
        variables::pairs(r#"[["x","1"],["x","2"]]"#).unwrap().len(),
        2
    );
    assert_eq!(tags("[]").unwrap(), []);
}

#[test]
fn invalid_outbox_row_names_its_column() {
    let large = format!(r#"{{"x":"{}"}}"#, "x".repeat(MAX_DATA));
    let broken = [
        (
            OutboxColumns {
                data: Some(&large),
                ..columns()
            },
            "data must be at most 65536 bytes",
        ),
        (
            OutboxColumns {
                event_type: "VMs!",
                ..columns()
            },
            "event_type",
        ),
        (
            OutboxColumns {
                event: "",
                ..columns()
            },
            "event",
        ),
        (
            OutboxColumns {
                tags: r#"{"a":1}"#.into(),
                ..columns()
            },
            "tags",
        ),
        (
            OutboxColumns {
                tags: "[1.5]".into(),
                ..columns()
            },
            "tags",
        ),
        (
            OutboxColumns {
                variables: r#"{"a":1}"#.into(),
                ..columns()
            },
            "variables",
        ),
        (
            OutboxColumns {
                variables: "7".into(),
                ..columns()
            },
            "variables",
        ),
        (
            OutboxColumns {
                data: Some("[1]"),
                ..columns()
            },
            "data",
        ),
        (
            OutboxColumns {
                occurrence_id: Some(""),
                ..columns()
            },
            "occurrence_id",
        ),
        (
            OutboxColumns {
                webhooks: Some("[]".into()),
                ..columns()
            },
            "webhooks",
        ),
        (
            OutboxColumns {
                webhooks: Some("7".into()),
                ..columns()
            },
            "webhooks",
        ),
        (
            OutboxColumns {
                channel: Some("a b"),
                ..columns()
            },
            "channel",
        ),
        (
            OutboxColumns {
                object_id: None,
                object_name: Some("vm"),
                ..columns()
            },
            "object_name",
        ),
    ];
    for (columns, names) in broken {
        let reason = columns.occurrence().unwrap_err();
        assert!(reason.0.starts_with(names), "{reason}");
    }
}

#[test]
fn an_occurrence_reads_back_as_it_was_written() {
    let (area, event) = ("vms".parse().unwrap(), "poweron".parse().unwrap());
    let mut full = Occurrence::new(area, event, Audience::Tenant(TenantId(3)));
    full.id = Some("occurrence-1".parse().unwrap());
    full.object = Some(Object::new(ObjectId::from(42), "a \"b\" \\"));
    full.tags = vec![TagId(9), TagId(1), TagId(9)];
    full.to = Some(WebhookIds::new([WebhookId(9), WebhookId(-2)]).unwrap());
    full.channel = Some("Project-7".parse().unwrap());
    let pairs = [("b", "1"), ("a", "\"\n"), ("b", "2"), ("", "")];
    full.data = Some(r#"{"b":[1.5,"é\u0000"],"a":{}}"#.parse().unwrap());
    full.trace = Some(format!("{PARENT} a=1 2,b=3").parse().unwrap());
    full.variables = pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).to_vec();
    let shown = format!("{full:?}");
    assert!(!shown.contains("None") && !shown.contains("[]"), "{shown}");
    assert_eq!(OutboxColumns::of(&full).occurrence(), Ok(full.clone()));
    for audience in [
        Audience::OneSystem,
        Audience::Operators,
        Audience::Owner(OwnerId(u128::MAX)),
    ] {
        let plain = Occurrence::new(full.event_type.clone(), full.event.clone(), audience);
        assert_eq!(OutboxColumns::of(&plain).occurrence(), Ok(plain.clone()));
    }
}

#[test]
fn row_with_unreadable_trace_is_read_without_it() {
    for (text, read) in [
        (PARENT, Some(PARENT)),
        (&format!("{PARENT} NO"), Some(PARENT)),
        (&PARENT.to_uppercase(), None),
        ("", None),
    ] {
        let trace = Some(text.into());
        let occurrence = OutboxColumns { trace, ..columns() }.occurrence().unwrap();
        assert_eq!(occurrence.trace, read.map(|text| text.parse().unwrap()));
    }
}

#[test]
fn a_row_is_meant_for_one_audience() {
    let twice = [
        (Some("1"), Some("2"), false),
        (Some("1"), None, true),
        (None, Some("2"), true),
    ];
    for (tenant, owner, operators) in twice {
        let columns = OutboxColumns {
            tenant: tenant.map(Into::into),
            owner: owner.map(Into::into),
            operators,
            ..columns()
        };
        let reason = columns.occurrence().unwrap_err();
        assert!(reason.0.contains("at most one of"), "{reason}");
    }
}

#[test]
fn audience_in_other_spellings_is_one_audience() {
    let uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    for (text, id) in [
        ("7", OwnerId(7)),
        ("007", OwnerId(7)),
        (uuid, uuid.parse().unwrap()),
        (&uuid.to_uppercase(), uuid.parse().unwrap()),
    ] {
        let owner = Some(text.into());
        let columns = OutboxColumns { owner, ..columns() };
        let occurrence = columns.occurrence().unwrap();
        assert_eq!(occurrence.audience, Audience::Owner(id));
        let of_columns = OutboxAudience::of_columns(None, Some(text));
        assert_eq!(of_columns, OutboxAudience::from(occurrence.audience));
    }
}

#[test]
fn audience_that_is_no_id_names_the_column() {
    for text in ["", "-7", "tina", "9223372036854775808"] {
        let owner = Some(text.into());
        let refused = OutboxColumns { owner, ..columns() }.occurrence();
        let reason = refused.unwrap_err().0;
        assert!(reason.starts_with("owner must be an integer"), "{reason}");
        let tenant = Some(text.into());
        let refused = OutboxColumns {
            tenant,
            ..columns()
        }
        .occurrence();
        let reason = refused.unwrap_err().0;
        assert!(reason.starts_with("tenant must be an integer"), "{reason}");
    }
}
