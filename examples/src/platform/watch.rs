//! Who may receive what: the platform's answer, asked when an event is made, and when it occurs.

use gatepost_engine::{May, Watch, WatchAnswer, Watched};
use webhook_model::{ObjectId, OwnerId, Target};

use super::Platform;
use super::machines::Machine;
use super::users::{TENANTS, Who};

impl Watch for Platform {
    fn may<'a>(&'a self, watched: &'a Watched<'a>, owners: &'a [OwnerId]) -> WatchAnswer<'a> {
        WatchAnswer::each(owners, |owner| match Who::of(owner) {
            Some(who) => may(&who, watched),
            None => May::No,
        })
    }
}

/// Tags and what has no object are no secrets: an occurrence that reaches the user's tenant is
/// judged again, by the object that it is about.
fn may(who: &Who, watched: &Watched<'_>) -> May {
    let Target::Instance(object) = watched.target else {
        return May::Yes;
    };
    let may = match watched.event_type.as_str() {
        "vms" => Machine::find(object).map_or(May::NoSuchObject, |vm| vm.reaches(who).into()),
        "users" => about_user(who, object),
        "tenants" => about_tenant(who, object),
        _ => who.runs_the_platform().into(),
    };
    match may {
        // What there is and what there is not in all tenants, is for those to know who see all.
        May::NoSuchObject if !who.runs_the_platform() => May::No,
        may => may,
    }
}

/// A user's logins are for the user, and for administrators.
fn about_user(who: &Who, object: ObjectId) -> May {
    let user = Who::of(OwnerId(object.0));
    user.map_or(May::NoSuchObject, |user| {
        (user.key == who.key || who.administers(&user)).into()
    })
}

/// Which tenant is online is for the provider.
fn about_tenant(who: &Who, object: ObjectId) -> May {
    let exists = TENANTS.iter().any(|(key, _)| *key == object.0);
    if exists {
        who.runs_the_platform().into()
    } else {
        May::NoSuchObject
    }
}
