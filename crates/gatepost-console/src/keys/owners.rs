//! Whose keys they are, by name.

use apikey_core::OwnerId;
use maud::{Markup, html};

use crate::context::PageContext;
use crate::layout::seen;
use crate::names::PlatformNames;

/// The platform's table of users.
pub(super) const USERS: &str = "users";

/// The name of a user.
pub(super) async fn user_name(ctx: &PageContext, user: OwnerId) -> String {
    let name = ctx.actor.name(USERS, user.into()).await;
    name.unwrap_or_else(|| unnamed(ctx, user))
}

/// The owner of a key, with the way to the owner's page.
pub(super) fn owner(ctx: &PageContext, owners: &PlatformNames, user: OwnerId) -> Markup {
    let name = owners.get(USERS, user.into());
    let name = name.map_or_else(|| unnamed(ctx, user), str::to_owned);
    html! { a href=(ctx.at(&format!("/users/{user}"))) { (seen(&name)) } }
}

fn unnamed(ctx: &PageContext, user: OwnerId) -> String {
    let id = [("id", user.to_string().into())];
    ctx.texts().with("keys-user-unnamed", &id)
}
