//! [`Authorizer`] over a scripted platform and a memory store.

mod subscription_checks;

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::{AccessLevel, Audience, ObjectId, OwnerId, Realm, TaskId, TenantId};
use gatepost_kv::MemoryStore;
use gatepost_storage::ManualClock;
use gatepost_storage::owners::OwnerStore as _;
use tokio::time::Instant;
use webhook_model::{Event, Object, Occurrence, Target};

use super::testing::{Manner, Platform, authorizer};
use super::{Authorizer, Decision, Heard, Hearing, Rule};
use crate::clock::EngineClock;
use crate::error::EmitError;
use crate::small_map::Few;
use crate::testing::noon;

const SECOND: Duration = Duration::from_secs(1);
const TENANT: TenantId = TenantId(7);
const ALL: [OwnerId; 5] = [OwnerId(1), OwnerId(2), OwnerId(3), OwnerId(4), OwnerId(5)];

struct World {
    platform: Arc<Platform>,
    store: Arc<MemoryStore>,
    authorizer: Arc<Authorizer>,
}

impl World {
    /// Users 1 and 2 of tenant 7, its administrator 3, user 4 of tenant 8, and the system
    /// administrator 5.
    async fn new(rule: impl FnOnce(&Arc<Platform>) -> Rule) -> Self {
        let (platform, store) = (Platform::new(), Arc::new(MemoryStore::new()));
        platform.user(1, 7);
        platform.user(2, 7);
        platform.account(3, AccessLevel::TenantAdministrator, 7);
        platform.user(4, 8);
        platform.account(5, AccessLevel::SystemAdministrator, None);
        let clock = EngineClock::start(Arc::new(ManualClock::at(noon())), &*store).await;
        let rule = rule(&platform);
        let authorizer = authorizer(rule, &platform, store.clone(), Arc::new(clock.unwrap()));
        Self {
            platform,
            store,
            authorizer,
        }
    }

    async fn watching() -> Self {
        Self::new(|platform| Rule::Policy(platform.clone())).await
    }

    async fn addressed() -> Self {
        Self::new(|_| Rule::AddressedOnly).await
    }

    async fn one_system() -> Self {
        Self::new(|_| Rule::OneSystem).await
    }

    /// Returns the decisions for an occurrence in tenant 7 that these five match.
    fn hear(&self, audience: Audience) -> [Hearing; 5] {
        let (occurrence, place) = (occurrence(audience), place(audience));
        let heard = Heard {
            occurrence: &occurrence,
            place,
        };
        of_all(&self.authorizer.hear(&heard, ALL.into_iter()))
    }

    async fn hear_waiting(&self, audience: Audience) -> [Hearing; 5] {
        let (occurrence, place) = (occurrence(audience), place(audience));
        let heard = Heard {
            occurrence: &occurrence,
            place,
        };
        of_all(&self.authorizer.hear_waiting(&heard, &ALL).await)
    }
}

fn of_all(hearings: &Few<OwnerId, Hearing>) -> [Hearing; 5] {
    ALL.map(|owner| *hearings.get(owner).unwrap())
}

fn place(audience: Audience) -> Realm {
    match audience {
        Audience::OneSystem => Realm::Shared,
        Audience::Operators => Realm::System,
        Audience::Tenant(_) | Audience::Owner(_) => Realm::Tenant(TENANT),
    }
}

fn occurrence(audience: Audience) -> Occurrence {
    Occurrence::new("vms".parse().unwrap(), "poweron".parse().unwrap(), audience)
        .with_object(Object::new(ObjectId::from(1), "db-1"))
}

fn event() -> Event {
    Event::new(
        "vms".parse().unwrap(),
        "poweron".parse().unwrap(),
        Target::Instance(ObjectId::from(1)),
        TaskId(1),
    )
}

/// `y`, `n` and `?`, for short.
fn hearings(hearings: &str) -> [Hearing; 5] {
    let hearing = |letter| match letter {
        'y' => Hearing::Yes,
        'n' => Hearing::No,
        _ => Hearing::Later,
    };
    let all: Vec<_> = hearings.chars().map(hearing).collect();
    all.try_into().unwrap()
}

#[tokio::test(start_paused = true)]
async fn addressed_occurrence_reaches_user_and_administrators() {
    let world = World::addressed().await;
    let to_user = Audience::Owner(OwnerId(1));
    assert_eq!(world.hear(to_user), hearings("ynyny"));
    assert_eq!(world.hear(Audience::Tenant(TENANT)), hearings("nnyny"));
    assert_eq!(world.hear(Audience::Operators), hearings("nnnny"));
    let mut asked = world.platform.asked();
    asked.sort();
    assert_eq!(asked, ALL, "each is asked about once");
}

#[tokio::test(start_paused = true)]
async fn unknown_tenant_of_addressee_delays_only_its_administrators() {
    let world = World::addressed().await;
    world.platform.set_manner_about(9, Manner::Later(SECOND));
    world.platform.user(9, 7);
    let to_another = Audience::Owner(OwnerId(9));
    assert_eq!(world.hear(to_another), hearings("nn?ny"));
    assert_eq!(world.hear_waiting(to_another).await, hearings("nnyny"));
}

#[tokio::test(start_paused = true)]
async fn policy_decides_within_realm_and_is_asked_once() {
    let world = World::watching().await;
    world.platform.may(2, Decision::No);
    world.platform.may(3, Decision::NoSuchObject);
    let heard = world.hear(Audience::Tenant(TENANT));
    assert_eq!(heard, hearings("ynnny"), "4 is of another tenant");
    let watched = world.platform.watched();
    assert_eq!(watched.len(), 1);
    assert_eq!(watched[0].1, [1, 2, 3, 5].map(OwnerId), "never about 4");
}

#[tokio::test(start_paused = true)]
async fn one_system_delivers_everything_to_every_enabled_user() {
    let world = World::one_system().await;
    for owner in 1..=5 {
        world.platform.user(owner, None);
    }
    world.platform.enable(2, false);
    world.platform.remove(3);
    assert_eq!(world.hear(Audience::OneSystem), hearings("ynnyy"));
    world.platform.user(1, 7);
    tokio::time::advance(5 * SECOND).await;
    assert_eq!(world.hear(Audience::OneSystem), hearings("?nnyy"));
}

#[tokio::test(start_paused = true)]
async fn user_without_answer_waits_and_delays_nobody_else() {
    let world = World::watching().await;
    world.platform.set_manner_about(1, Manner::Later(SECOND));
    world.platform.set_manner_about(2, Manner::Hangs);
    world.platform.set_manner_about(3, Manner::Panics);
    let audience = Audience::Tenant(TENANT);
    let began = Instant::now();
    assert_eq!(world.hear(audience), hearings("???ny"));
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(world.hear_waiting(audience).await, hearings("y??ny"));
    assert_eq!(
        began.elapsed(),
        5 * SECOND,
        "no longer than the platform may take"
    );
}

#[tokio::test(start_paused = true)]
async fn failing_policy_answers_later_and_never_yes() {
    use Manner::{Fails, FailsLater, Hangs, OneTooFew, Panics, PanicsLater};
    for manner in [Fails, FailsLater, Hangs, OneTooFew, Panics, PanicsLater] {
        let world = World::watching().await;
        world.platform.set_watch_manner(manner);
        let audience = Audience::Tenant(TENANT);
        assert_eq!(world.hear(audience), hearings("???n?"), "{manner:?}");
        let waited = world.hear_waiting(audience).await;
        assert_eq!(waited, hearings("???n?"), "{manner:?}");
        tokio::time::sleep(SECOND).await;
        assert!(world.authorizer.book.failures.all() > 0, "{manner:?}");
        world.platform.set_watch_manner(Manner::Later(SECOND));
        let waited = world.hear_waiting(audience).await;
        assert_eq!(waited, hearings("yyyny"), "{manner:?}: it is asked again");
    }
}

#[tokio::test(start_paused = true)]
async fn moving_user_waits_for_own_occurrences_only() {
    let world = World::addressed().await;
    world.platform.user(1, 8);
    let to_user = Audience::Owner(OwnerId(1));
    assert_eq!(world.hear(to_user)[0], Hearing::Later);
    assert_eq!(world.hear(Audience::Tenant(TENANT))[0], Hearing::No);
}

#[tokio::test(start_paused = true)]
async fn audience_lists_own_realm_first_or_is_refused() {
    let world = World::watching().await;
    let places = async |audience| world.authorizer.places(audience).await;
    let (common, operators) = (Realm::Shared, Realm::System);
    assert_eq!(
        places(Audience::Tenant(TENANT)).await.unwrap(),
        [Realm::Tenant(TENANT), operators, common],
        "it is not known yet whether anybody is not placed"
    );
    world.authorizer.run();
    tokio::time::sleep(SECOND).await;
    assert_eq!(world.authorizer.unplaced(), 0);
    let tenant = [Realm::Tenant(TENANT), operators];
    assert_eq!(places(Audience::Tenant(TENANT)).await.unwrap(), tenant);
    assert_eq!(places(Audience::Owner(OwnerId(1))).await.unwrap(), tenant);
    assert_eq!(places(Audience::Operators).await.unwrap(), [operators]);
    let refused = places(Audience::OneSystem).await.unwrap_err();
    assert!(refused.to_string().contains("has tenants"), "{refused}");

    let system = World::one_system().await;
    let common = system.authorizer.places(Audience::OneSystem).await.unwrap();
    assert_eq!(common, [Realm::Shared]);
    for audience in [
        Audience::Operators,
        Audience::Tenant(TENANT),
        Audience::Owner(OwnerId(1)),
    ] {
        let refused = system.authorizer.places(audience).await.unwrap_err();
        assert!(refused.to_string().contains("one_system"), "{refused}");
    }
}

#[tokio::test(start_paused = true)]
async fn addressed_user_gets_realm_and_unknown_one_solo() {
    let world = World::addressed().await;
    let own = async |owner| {
        let places = world
            .authorizer
            .places(Audience::Owner(OwnerId(owner)))
            .await;
        places.map(|places| places[0])
    };
    world.platform.user(6, None);
    world.platform.remove(7);
    world.platform.set_manner_about(8, Manner::Fails);
    assert_eq!(own(4).await.unwrap(), Realm::Tenant(TenantId(8)));
    assert_eq!(own(6).await.unwrap(), Realm::Solo(OwnerId(6)));
    assert_eq!(own(7).await.unwrap(), Realm::Solo(OwnerId(7)));
    assert!(matches!(own(8).await, Err(EmitError::Platform(error)) if error == "down"));
    let row = async |owner| world.store.owner(OwnerId(owner)).await.unwrap();
    assert_eq!(row(4).await.unwrap().realm, Realm::Tenant(TenantId(8)));
    assert_eq!(row(7).await, None, "no row for a number that means nobody");
}

#[tokio::test(start_paused = true)]
async fn large_tenant_leaves_questions_for_other_tenants() {
    let world = World::watching().await;
    world.platform.set_manner(Manner::Later(SECOND));
    let owners: Vec<_> = (1_000..2_000).map(OwnerId).collect();
    owners
        .iter()
        .for_each(|owner| world.platform.user(owner.0, 7));
    let occurrence = occurrence(Audience::Tenant(TENANT));
    let heard = Heard {
        occurrence: &occurrence,
        place: Realm::Tenant(TENANT),
    };
    for second in 0..3 {
        world.authorizer.hear(&heard, owners.iter().copied());
        for owner in &owners[..500] {
            world.authorizer.good_standing(*owner, heard.place);
        }
        let other = OwnerId(10_000 + second);
        let standing = world.authorizer.standing(other, Realm::Solo(other)).await;
        assert!(standing.is_ok(), "{standing:?}");
        tokio::time::advance(4 * SECOND).await;
    }
    let asked = world.platform.asked().len();
    assert!(asked > 75, "control: more was asked than is kept: {asked}");
}

#[tokio::test(start_paused = true)]
async fn account_status_is_immediate_if_platform_answers_immediately() {
    let world = World::addressed().await;
    world.platform.enable(2, false);
    world.platform.remove(3);
    world.platform.set_manner_about(4, Manner::Later(SECOND));
    world.platform.set_manner_about(5, Manner::Fails);
    let known = ALL.map(|owner| world.authorizer.good_standing(owner, Realm::Shared));
    assert_eq!(known, [Some(true), Some(false), Some(false), None, None]);
    assert!(
        world
            .authorizer
            .standing(OwnerId(4), Realm::Shared)
            .await
            .unwrap()
    );
    assert_eq!(
        world.authorizer.good_standing(OwnerId(4), Realm::Shared),
        Some(true)
    );
    assert!(
        world
            .authorizer
            .standing(OwnerId(5), Realm::Shared)
            .await
            .is_err()
    );
}

#[tokio::test(start_paused = true)]
async fn outbox_row_without_audience_uses_builder_default() {
    let mut world = World::addressed().await;
    let named = Audience::Tenant(TENANT);
    let authorizer = Arc::get_mut(&mut world.authorizer).unwrap();
    assert_eq!(
        authorizer.audience_in_outbox(Audience::OneSystem),
        Audience::OneSystem
    );
    authorizer.audiences.default = Some(Audience::Operators);
    assert_eq!(
        authorizer.audience_in_outbox(Audience::OneSystem),
        Audience::Operators
    );
    assert_eq!(authorizer.audience_in_outbox(named), named);
    let mut system = World::one_system().await;
    let authorizer = Arc::get_mut(&mut system.authorizer).unwrap();
    authorizer.audiences.default = Some(Audience::Operators);
    assert_eq!(
        authorizer.audience_in_outbox(Audience::OneSystem),
        Audience::OneSystem
    );
}
