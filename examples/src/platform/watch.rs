//! The platform's answer to who may receive what, asked when an event is made, and when it occurs.

use gatepost_engine::{Decision, PolicyAnswer, PolicyQuestion, SubscriptionPolicy};
use webhook_model::{ObjectId, OwnerId, Target};

use super::Platform;
use super::machines::{Machine, is_tag};
use super::users::{TENANTS, Who};

impl SubscriptionPolicy for Platform {
    fn may_receive<'a>(
        &'a self,
        question: &'a PolicyQuestion<'a>,
        owners: &'a [OwnerId],
    ) -> PolicyAnswer<'a> {
        PolicyAnswer::each(owners, |owner| match Who::of(owner) {
            Some(who) => may(&who, question.event_type.as_str(), question.target),
            None => Decision::No,
        })
    }
}

/// Tags and events without an object are no secrets: an occurrence that reaches the user's tenant
/// is checked again, by its object.
fn may(who: &Who, event_type: &str, target: Target) -> Decision {
    let object = match target {
        Target::Instance(object) => object,
        Target::Tag(tag) if !is_tag(tag) => return Decision::NoSuchObject,
        Target::Tag(_) | Target::Generic => return Decision::Yes,
    };
    let may = match event_type {
        "vms" => Machine::find(object).map_or(Decision::NoSuchObject, |vm| vm.reaches(who).into()),
        "users" => about_user(who, object),
        "tenants" => about_tenant(who, object),
        _ => who.runs_the_platform().into(),
    };
    match may {
        // Whether an object exists in any tenant is only for users who see all tenants.
        Decision::NoSuchObject if !who.runs_the_platform() => Decision::No,
        may => may,
    }
}

/// Decides about a user's logins: they are for the user, and for administrators.
fn about_user(who: &Who, object: ObjectId) -> Decision {
    let user = object.as_str().parse().ok().and_then(Who::of);
    user.map_or(Decision::NoSuchObject, |user| {
        (user.key == who.key || who.administers(&user)).into()
    })
}

/// Decides about a tenant's status: it is for the provider.
fn about_tenant(who: &Who, object: ObjectId) -> Decision {
    let exists = TENANTS
        .iter()
        .any(|(key, _)| ObjectId::from(*key) == object);
    if exists {
        who.runs_the_platform().into()
    } else {
        Decision::NoSuchObject
    }
}

#[cfg(test)]
mod tests {
    use webhook_model::TagId;

    use super::*;

    #[test]
    fn administrator_may_watch_machines_of_every_tenant() {
        let may = |user: u128, vm: u32| {
            let who = Who::of(OwnerId(user)).unwrap();
            may(&who, "vms", Target::Instance(ObjectId::from(vm)))
        };
        for vm in 1..=5 {
            assert_eq!(may(1, vm), Decision::Yes, "vms/{vm}");
        }
        // Users stay within their tenants.
        for (user, own, other) in [(2, 1, 4), (3, 1, 5), (4, 5, 1), (5, 4, 1)] {
            assert_eq!(
                (may(user, own), may(user, other)),
                (Decision::Yes, Decision::No)
            );
        }
    }

    #[test]
    fn tag_that_does_not_exist_is_no_target() {
        for user in [OwnerId(1), OwnerId(3), OwnerId(4)] {
            let who = Who::of(user).unwrap();
            let may = |tag: i64| may(&who, "vms", Target::Tag(TagId(tag)));
            assert_eq!(may(1), Decision::Yes);
            assert_eq!(may(99), Decision::NoSuchObject, "{user:?}");
        }
    }
}
