//! The client certificate of a webhook: its details, and its fields in the form.

use std::borrow::Cow;

use chrono::TimeDelta;
use gatepost_manage::ClientCertificate;
use maud::{Markup, html};
use webhook_model::{ClientIdentity, Field, trim_pasted};

use crate::context::PageContext;
use crate::fields::{Sheet, webhook};
use crate::form::Form;
use crate::layout::{badge, seen};
use crate::problems::{Problems, rule};
use crate::time::stamp;

/// The time before the expiration from which on there is a warning.
const SOON: TimeDelta = TimeDelta::days(30);

/// Renders rows of a list of details: the subject, and the expiration.
pub(in crate::webhooks) fn details(ctx: &PageContext, identity: &ClientIdentity) -> Markup {
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

/// Renders the fields, always empty: a key may have been typed into the wrong one.
pub(super) fn fields(
    ctx: &PageContext,
    sheet: &Sheet<'_>,
    stored: Option<&ClientIdentity>,
) -> Markup {
    let (t, is_wrong) = (ctx.texts(), !sheet.problems.is_empty());
    let more = match stored {
        Some(_) => t.of("webhooks-form-client-stored"),
        None if is_wrong => t.of("webhooks-form-secret-again"),
        None => Cow::default(),
    };
    // Few targets need one: the section is open if there is one, or a field must be typed again.
    let is_used = |name| !sheet.form.word(name).is_empty() || sheet.problems.of(name).is_some();
    let open = stored.is_some()
        || ["client_certificate", "client_key"]
            .into_iter()
            .any(is_used);
    html! { details open[open] {
        summary { h2 { (t.of("webhooks-form-client-title")) } }
        p.quiet { (t.of("webhooks-form-client")) }
        @if let Some(identity) = stored { dl { (details(ctx, identity)) } }
        (sheet.field(&webhook::CERTIFICATE, ""))
        (sheet.field(&webhook::CLIENT_KEY, &more))
        @if stored.is_some() { (sheet.field(&webhook::CLIENT_REMOVE, "")) }
    } }
}

pub(super) fn is_key_entered(form: &Form) -> bool {
    !form.word("client_key").is_empty()
}

/// Parses the fields; `Some(None)` for no certificate. An empty field keeps its present value.
pub(super) fn parse(
    form: &Form,
    problems: &mut Problems,
    present: Option<&ClientIdentity>,
) -> Option<Option<ClientIdentity>> {
    if form.ticked("client_remove") {
        return Some(None);
    }
    let stored = present.map(|one| (one.certificate(), one.key().expose()));
    let (stored_certificate, stored_key) = stored.unwrap_or_default();
    let typed = ["client_certificate", "client_key"].map(|name| form.lines(name));
    let [certificate, key] = typed.each_ref().map(|text| !trim_pasted(text).is_empty());
    if !certificate && !key {
        return Some(present.cloned());
    }
    let [typed_certificate, typed_key] = &typed;
    let identity = ClientIdentity::new(
        if certificate {
            typed_certificate
        } else {
            stored_certificate
        },
        if key { typed_key } else { stored_key },
    );
    let field = |field: Field| field_of(field.as_str());
    let noted = identity.map_err(|invalid| problems.add(field(invalid.field()), rule(invalid)));
    noted.ok().map(Some)
}

/// Returns the field of the form for a field of the record, by its name in the API.
pub(super) fn field_of(field: &str) -> &'static str {
    if field == Field::ClientKey.as_str() {
        "client_key"
    } else {
        "client_certificate"
    }
}
