//! Faults in matched routes.

use gatepost_ids::Realm;
use gatepost_storage::webhooks::{RecordStore as _, RouteChanges, Routes, RoutesVersion};
use webhook_model::{Channels, EventName, EventType, Filter};

use super::mutant::{Mutant, Result};

impl Mutant {
    pub(super) async fn wrong_routes(&self, place: Realm, at_most: u32) -> Result<Option<Routes>> {
        self.trip("d09-routes").await?;
        let at_most = if self.is(&["r34"]) { u32::MAX } else { at_most };
        let mut routes = self.inner.routes(place, at_most).await?;
        if let (true, Some(routes)) = (self.is(&["r15", "r33"]), &mut routes) {
            routes.webhooks.pop();
        }
        Ok(routes)
    }

    pub(super) async fn wrong_routes_of(
        &self,
        place: Realm,
        event_type: &EventType,
        event: &EventName,
    ) -> Result<Routes> {
        let mut routes = self.inner.routes_of(place, event_type, event).await?;
        if self.is(&["r42"]) {
            let events = routes.events.iter_mut();
            events.for_each(|event| event.filter = Filter::default());
        }
        if self.is(&["r43"]) {
            let webhooks = routes.webhooks.iter_mut();
            webhooks.for_each(|webhook| webhook.channels = Channels::default());
        }
        let all = self.inner.routes(place, u32::MAX).await?;
        Ok(match all {
            Some(all) if self.is(&["r35"]) => Routes {
                tasks: all.tasks,
                ..routes
            },
            _ => routes,
        })
    }

    pub(super) async fn wrong_versions(&self, places: &[Realm]) -> Result<Vec<RoutesVersion>> {
        let mut versions = self.inner.routes_versions(places).await?;
        let highest = versions.iter().max().copied();
        for version in &mut versions {
            match self.fault() {
                "r14" => *version = RoutesVersion(1),
                "p02" => *version = RoutesVersion(version.0 & !1),
                "r22" => *version = highest.unwrap_or(*version),
                _ => {}
            }
        }
        Ok(versions)
    }

    pub(super) async fn wrong_changes(
        &self,
        place: Realm,
        since: RoutesVersion,
    ) -> Result<Option<RouteChanges>> {
        let mut changes = self.inner.route_changes(place, since).await?;
        match (self.fault(), &mut changes) {
            ("r36", _) => changes = Some(RouteChanges::none(since)),
            ("r37", Some(changes)) => changes.events.clear(),
            ("r38", Some(changes)) => changes.tasks.retain(|(_, now)| now.is_some()),
            ("r39", Some(known)) if known.version.0 - since.0 > 500 => changes = None,
            _ => {}
        }
        Ok(changes)
    }
}
