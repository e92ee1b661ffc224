//! SPEC 2.4: the fields of an event and its rules; SPEC 6 rule 1: what an occurrence matches.

use webhook_model::{
    Audience, Catalog, CatalogError, Event, Object, ObjectId, Occurrence, Specificity, TagId,
    Target, TaskId,
};

fn catalog() -> Catalog {
    Catalog::builder()
        .event_type(
            "vms",
            "Virtual Machines",
            Specificity::InstanceOrTag,
            &[("poweron", "Powered on"), ("poweroff", "Powered off")],
        )
        .unwrap()
        .event_type(
            "alarms",
            "Alarms",
            Specificity::Generic,
            &[("raised", "Raised")],
        )
        .unwrap()
        .event_type(
            "users",
            "Users",
            Specificity::InstanceOptional,
            &[("login", "Logged in")],
        )
        .unwrap()
        .build()
}

fn event(event_type: &str, event: &str, target: Target) -> Event {
    Event::new(
        event_type.parse().unwrap(),
        event.parse().unwrap(),
        target,
        TaskId(1),
    )
}

fn poweron(id: i64, tags: &[i64]) -> Occurrence {
    Occurrence::new(
        "vms".parse().unwrap(),
        "poweron".parse().unwrap(),
        Audience::OneSystem,
    )
    .with_object(Object::new(ObjectId::from_number(id), format!("vm-{id}")))
    .with_tags(tags.iter().map(|t| TagId(*t)).collect())
}

/// SPEC 2.4 "Type": the areas that the platform offers.
#[test]
fn spec_2_4_type_is_one_of_the_catalog() {
    assert_eq!(
        catalog().check(&event("nodes", "poweron", Target::Generic)),
        Err(CatalogError::UnknownType)
    );
    let labels: Vec<_> = catalog()
        .types()
        .map(|(_, label, _)| label.to_owned())
        .collect();
    assert_eq!(labels, ["Alarms", "Users", "Virtual Machines"]);
}

/// SPEC 2.4 "Event": the selectable list depends on Type.
#[test]
fn spec_2_4_event_is_one_of_its_type() {
    assert_eq!(
        catalog().check(&event("vms", "raised", Target::Tag(TagId(1)))),
        Err(CatalogError::UnknownEvent)
    );
    let events: Vec<_> = catalog()
        .events(&"vms".parse().unwrap())
        .map(|(name, _)| name.to_string())
        .collect();
    assert_eq!(events, ["poweron", "poweroff"]);
}

/// SPEC 2.4 "Object instance": one of instance or tag, unless the type is generic.
#[test]
fn spec_2_4_one_of_instance_or_tag() {
    let catalog = catalog();
    assert!(
        catalog
            .check(&event(
                "vms",
                "poweron",
                Target::Instance(ObjectId::from(1))
            ))
            .is_ok()
    );
    assert!(
        catalog
            .check(&event("vms", "poweron", Target::Tag(TagId(1))))
            .is_ok()
    );
    assert_eq!(
        catalog.check(&event("vms", "poweron", Target::Generic)),
        Err(CatalogError::TargetRequired)
    );
    assert!(
        catalog
            .check(&event("users", "login", Target::Generic))
            .is_ok(),
        "a type that the platform made optional"
    );
}

/// SPEC 2.4 rule 1: some types apply generically and offer neither objects nor tags.
#[test]
fn spec_2_4_rule_1_generic_types_take_neither() {
    let catalog = catalog();
    assert!(
        catalog
            .check(&event("alarms", "raised", Target::Generic))
            .is_ok()
    );
    for target in [Target::Instance(ObjectId::from(1)), Target::Tag(TagId(1))] {
        assert_eq!(
            catalog.check(&event("alarms", "raised", target)),
            Err(CatalogError::TargetForbidden)
        );
    }
}

/// SPEC 2.4 "Use Tag / Tag": the event applies to all objects of the type that carry the tag.
#[test]
fn spec_2_4_tag_matches_every_object_that_carries_it() {
    let tagged = event("vms", "poweron", Target::Tag(TagId(4)));
    assert!(tagged.matches(&poweron(1, &[9, 4])) && tagged.matches(&poweron(2, &[4])));
    assert!(!tagged.matches(&poweron(4, &[])), "a tag is no object");
}

/// SPEC 6 rule 1: a specific instance, any tagged object, or generically; never across types or
/// events.
#[test]
fn spec_6_rule_1_what_an_occurrence_triggers() {
    let one = event("vms", "poweron", Target::Instance(ObjectId::from(1)));
    assert!(one.matches(&poweron(1, &[])));
    assert!(!one.matches(&poweron(2, &[1])));
    assert!(event("vms", "poweron", Target::Generic).matches(&poweron(7, &[])));
    assert!(
        !event("vms", "poweroff", Target::Instance(ObjectId::from(1))).matches(&poweron(1, &[]))
    );
    assert!(
        !event("users", "poweron", Target::Instance(ObjectId::from(1))).matches(&poweron(1, &[]))
    );
    let disabled = Event {
        enabled: false,
        ..one
    };
    assert!(!disabled.matches(&poweron(1, &[])));
    let mut nowhere = poweron(1, &[]);
    nowhere.object = None;
    assert!(!event("vms", "poweron", Target::Instance(ObjectId::from(1))).matches(&nowhere));
}
