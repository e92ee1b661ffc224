//! The client certificate of a webhook: what is shown of it, and its fields in the form.

use std::borrow::Cow;

use chrono::TimeDelta;
use gatepost_manage::ClientCertificate;
use maud::{Markup, html};
use webhook_model::ClientIdentity;

use super::form::ClientIdentityFields;
use crate::context::PageContext;
use crate::layout::{self, badge, seen};
use crate::problems::Problems;
use crate::time::stamp;

/// How long before it expires there is a warning.
const SOON: TimeDelta = TimeDelta::days(30);

/// Rows of a list of details: the subject, and when it expires.
pub(super) fn details(ctx: &PageContext, identity: &ClientIdentity) -> Markup {
    let t = ctx.texts();
    let certificate = ClientCertificate::from_pem(identity.certificate());
    html! {
        dt { (t.of("webhooks-client-certificate")) } dd {
            @match &certificate {
                Ok(certificate) if certificate.subject().is_empty() => { span.quiet { (t.of("webhooks-client-no-subject")) } }
                Ok(certificate) => { code { (seen(certificate.subject())) } }
                Err(_) => { (badge("bad", &t.of("webhooks-client-unreadable"))) }
            }
        }
        @if let Ok(certificate) = &certificate {
            dt { (t.of("webhooks-client-expires")) } dd { (expiry(ctx, certificate)) }
        }
    }
}

fn expiry(ctx: &PageContext, certificate: &ClientCertificate) -> Markup {
    let (t, now, at) = (ctx.texts(), ctx.now(), certificate.not_after());
    html! {
        @if at <= now { (badge("bad", &t.of("webhooks-client-expired"))) " " }
        @else if at - now < SOON { (badge("warn", &t.of("webhooks-client-expires-soon"))) " " }
        (stamp(t, at, now))
    }
}

/// The fields, empty whatever was typed: a key may have got into the wrong one.
pub(super) fn fields(
    ctx: &PageContext,
    form: &ClientIdentityFields,
    problems: &Problems,
    stored: Option<&ClientIdentity>,
) -> Markup {
    let t = ctx.texts();
    let more = match stored {
        Some(_) => t.of("webhooks-form-client-stored"),
        None if problems.is_empty() => Cow::default(),
        None => t.of("webhooks-form-secret-again"),
    };
    let key_hint = format!("{} {more}", t.of("webhooks-form-client-key-hint"));
    // Few targets want one: open where there is one, or something is to be typed again.
    let open = stored.is_some() || !problems.is_empty();
    html! { details open[open] {
        summary { h2 { (t.of("webhooks-form-client-title")) } }
        p.quiet { (t.of("webhooks-form-client")) }
        @if let Some(identity) = stored { dl { (details(ctx, identity)) } }
        (layout::area(problems, "client_certificate", &t.of("webhooks-form-client-certificate"), "", &t.of("webhooks-form-client-certificate-hint"), "code"))
        (layout::area(problems, "client_key", &t.of("webhooks-form-client-key"), "", key_hint.trim(), "code"))
        @if stored.is_some() {
            (layout::check("client_remove", &t.of("webhooks-form-client-remove"), &t.of("webhooks-form-client-remove-hint"), form.remove))
        }
    } }
}
