//! The first half: API keys.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use apikey_core::{Expiration, IpPolicy, KeyDraft, KeyId, OwnerId, RevealedKey};
use chrono::TimeDelta;
use examples::client::call;
use examples::story::Story;
use gatepost_keys::{AccessLevel, Account, KeyService, Principal, Via};
use gatepost_storage::{Clock, ManualClock};

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

pub(crate) const ADA: OwnerId = OwnerId(1);
const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Another address of this machine.
const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
const SYSTEM: &str = "/api/v4/system";

/// Runs this part of the tour.
pub(crate) async fn tell(
    story: &mut Story,
    keys: &KeyService,
    clock: &ManualClock,
    server: SocketAddr,
) -> Outcome {
    let ada = Principal::new(ADA, Account::enabled(AccessLevel::User), Via::Platform);
    let desk = Desk { keys, ada, server };
    desk.shown_once(story).await?;
    desk.by_address(story).await?;
    desk.expiry(story, clock).await?;
    desk.deletion(story).await
}

/// The user Ada, her server and the service that manages her keys.
struct Desk<'a> {
    keys: &'a KeyService,
    ada: Principal,
    server: SocketAddr,
}

impl Desk<'_> {
    async fn shown_once(&self, story: &mut Story) -> Outcome {
        story.chapter("A key, shown once");
        let (id, key) = self
            .make("ci", Expiration::Never, IpPolicy::default())
            .await?;
        story.tell(&format!("the key string: {}", key.as_str()));
        let row = self
            .keys
            .get(&self.ada, id)
            .await?
            .ok_or("the key does not exist")?;
        story.tell(&format!(
            "the masked key, as shown from now on: {}",
            row.key.masked
        ));
        let secret = key.as_str().rsplit('_').next().ok_or("an odd key")?;
        story.claim(
            "the stored record does not hold it",
            !format!("{row:?}").contains(&secret[..8]),
        );
        let pak = key.pak(&row.key.name);
        story.claim(
            "Save offers it as a .PAK file",
            pak.file_name() == "ci.PAK" && pak.contents().trim_end() == key.as_str(),
        );

        story.chapter("A call over HTTP");
        let answer = call(self.server, HOME, "GET", SYSTEM, Some(key.as_str()), None).await?;
        story.tell(&format!("GET {SYSTEM} → {} {}", answer.status, answer.body));
        story.claim("the key opens the API", answer.status == 200);
        story.claim("no key: 401", self.status(HOME, None).await? == 401);
        let cut = &key.as_str()[..key.as_str().len() - 1];
        story.claim(
            "a key that lost its last character: 401",
            self.status(HOME, Some(cut)).await? == 401,
        );
        let row = self
            .keys
            .get(&self.ada, id)
            .await?
            .ok_or("the key does not exist")?;
        story.claim(
            "the last login was noted, with its address",
            row.key.last_login.is_some_and(|login| login.from == HOME),
        );
        Ok(())
    }

    async fn by_address(&self, story: &mut Story) -> Outcome {
        story.chapter("Addresses that may use a key");
        let deny = IpPolicy {
            allow: "".parse()?,
            deny: "127.0.0.2".parse()?,
        };
        let (_, key) = self.make("not from there", Expiration::Never, deny).await?;
        story.claim(
            "an address on the Deny List: 403, although the key is valid",
            self.status(ELSEWHERE, Some(key.as_str())).await? == 403,
        );
        story.claim(
            "all others are let in",
            self.status(HOME, Some(key.as_str())).await? == 200,
        );

        let both = IpPolicy {
            allow: "127.0.0.2".parse()?,
            deny: "127.0.0.0/8".parse()?,
        };
        let (_, key) = self
            .make("allow beats deny", Expiration::Never, both)
            .await?;
        story.claim(
            "an address on both lists: the Allow List decides",
            self.status(ELSEWHERE, Some(key.as_str())).await? == 200,
        );
        story.claim(
            "an address that is not on the Allow List: 403",
            self.status(HOME, Some(key.as_str())).await? == 403,
        );
        Ok(())
    }

    async fn expiry(&self, story: &mut Story, clock: &ManualClock) -> Outcome {
        story.chapter("A key for 30 days");
        let expiration = Expiration::At(clock.now() + TimeDelta::days(30));
        let (id, key) = self
            .make("thirty days", expiration, IpPolicy::default())
            .await?;
        story.claim(
            "it works on the first day",
            self.status(HOME, Some(key.as_str())).await? == 200,
        );
        clock.advance(Duration::from_secs(30 * 24 * 60 * 60));
        story.tell("30 days later …");
        story.claim(
            "it fails the moment it expires: 401",
            self.status(HOME, Some(key.as_str())).await? == 401,
        );
        self.keys.delete(&self.ada, id).await?;
        story.claim(
            "it can still be removed from the table",
            self.keys.get(&self.ada, id).await?.is_none(),
        );
        Ok(())
    }

    async fn deletion(&self, story: &mut Story) -> Outcome {
        story.chapter("A key that got lost");
        let (id, key) = self
            .make("lost", Expiration::Never, IpPolicy::default())
            .await?;
        story.claim(
            "it works",
            self.status(HOME, Some(key.as_str())).await? == 200,
        );
        self.keys.delete(&self.ada, id).await?;
        story.claim(
            "deleted: the very next request fails with 401",
            self.status(HOME, Some(key.as_str())).await? == 401,
        );
        let (_, new) = self
            .make("lost", Expiration::Never, IpPolicy::default())
            .await?;
        story.claim(
            "a new one replaces it",
            self.status(HOME, Some(new.as_str())).await? == 200,
        );
        story.claim(
            "and the old one stays dead",
            self.status(HOME, Some(key.as_str())).await? == 401,
        );
        Ok(())
    }

    async fn make(
        &self,
        name: &str,
        expiration: Expiration,
        ip: IpPolicy,
    ) -> Result<(KeyId, RevealedKey), Box<dyn Error + Send + Sync>> {
        let draft = KeyDraft::new(ADA, name.parse()?)
            .with_expiration(expiration)
            .with_ip(ip);
        let (row, once) = self.keys.create(&self.ada, draft).await?;
        Ok((row.id, once.reveal()))
    }

    async fn status(&self, from: IpAddr, key: Option<&str>) -> Result<u16, std::io::Error> {
        Ok(call(self.server, from, "GET", SYSTEM, key, None)
            .await?
            .status)
    }
}
