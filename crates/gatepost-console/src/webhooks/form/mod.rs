//! The form of a webhook, parsed with the same types as the API's input.

mod authorization;
mod certificate;
mod headers;

use std::borrow::Cow;
use std::str::FromStr;

pub(super) use certificate::details as certificate_details;
pub(super) use headers::MASK;
use maud::{Markup, html};
use webhook_model::{
    Activity, Authorization, AuthorizationKind, DeliveryMode, DeliveryOrder, OwnerId, RateLimit,
    ResubmittedSecrets, Retries, SigningSecrets, TargetUrl, Timeout, Webhook, WebhookName,
};

use super::target::hint;
use crate::context::PageContext;
use crate::fields::{Sheet, webhook};
use crate::form::Form;
use crate::problems::{Problems, rule};
use crate::texts::Texts;

/// Returns the form of a new webhook.
pub(super) fn fresh() -> Form {
    let form = Form::default()
        .with("delivery_mode", DeliveryMode::default().as_str())
        .with("timeout", "5")
        .with("retries", "3")
        .with_tick("enabled", true);
    headers::json(authorization::stored(form, &Authorization::None))
}

/// Returns the form of a stored webhook, with its secrets masked.
pub(super) fn stored(webhook: &Webhook) -> Form {
    let schedule = webhook.retry_schedule.as_ref().map(ToString::to_string);
    let rate = webhook.rate.map(|rate| rate.get().to_string());
    let form = Form::default()
        .with("name", webhook.name.as_str())
        .with("url", webhook.url.as_str())
        .with("delivery_mode", webhook.mode.as_str())
        .with("timeout", webhook.timeout.as_secs().to_string())
        .with("retries", webhook.retries.get().to_string())
        .with("retry_schedule", schedule.unwrap_or_default())
        .with("channels", webhook.channels.to_string())
        .with("rate", rate.unwrap_or_default())
        .with_tick("enabled", webhook.activity != Activity::Disabled)
        .with_tick("in_order", webhook.order == DeliveryOrder::InOrder)
        .with_tick("insecure", webhook.allow_insecure);
    let form = authorization::stored(form, &webhook.authorization);
    headers::stored(form, &webhook.headers)
}

/// Parses the fields; notes each error next to its field. Masked or missing values are taken from
/// `present`.
pub(super) fn parse(
    form: &Form,
    texts: &Texts,
    problems: &mut Problems,
    owner: OwnerId,
    present: Option<&Webhook>,
) -> Option<Webhook> {
    let name = form.text("name").parse::<WebhookName>();
    let name = problems.take("name", name.map_err(rule));
    let url = problems.take("url", form.text("url").parse::<TargetUrl>().map_err(rule));
    let stored = present.map(|webhook| &webhook.authorization);
    let authorization = authorization::parse(form, problems, stored);
    let stored = present.and_then(|webhook| webhook.client_identity.as_ref());
    let client_identity = certificate::parse(form, problems, stored);
    let stored = present.map(|webhook| &webhook.headers);
    let headers = headers::parse(form, texts, problems, stored);
    let timeout = number(texts, form.word("timeout"));
    let timeout = timeout.and_then(|n: i64| Timeout::try_from(n).map_err(rule));
    let timeout = problems.take("timeout", timeout);
    let retries = number(texts, form.word("retries"));
    let retries = retries.and_then(|n: i64| Retries::try_from(n).map_err(rule));
    let retries = problems.take("retries", retries);
    let retry_schedule = match form.word("retry_schedule") {
        "" => Ok(None),
        schedule => schedule.parse().map(Some).map_err(rule),
    };
    let retry_schedule = problems.take("retry_schedule", retry_schedule);
    let channels = problems.take("channels", form.text("channels").parse().map_err(rule));
    let rate = match form.word("rate") {
        "" => Ok(None),
        rate => {
            number(texts, rate).and_then(|rate| RateLimit::per_second(rate).map(Some).map_err(rule))
        }
    };
    let rate = problems.take("rate", rate);
    let mode = match form.text("delivery_mode") {
        "" => Some(present.map(|webhook| webhook.mode).unwrap_or_default()),
        word => problems.take("delivery_mode", DeliveryMode::parse(word).map_err(rule)),
    };
    let mut webhook = match present {
        Some(present) => present.clone(),
        None => Webhook::new(owner, name.clone()?, url.clone()?),
    };
    (webhook.name, webhook.url) = (name?, url?);
    (webhook.authorization, webhook.headers) = (authorization?, headers?);
    (webhook.timeout, webhook.retries, webhook.rate) = (timeout?, retries?, rate?);
    (webhook.retry_schedule, webhook.channels) = (retry_schedule?, channels?);
    webhook.client_identity = client_identity?;
    webhook.mode = mode?;
    webhook.allow_insecure = form.ticked("insecure");
    if form.ticked("unsign") {
        webhook.signing = SigningSecrets::none();
    }
    webhook.order = match form.ticked("in_order") {
        true => DeliveryOrder::InOrder,
        false => DeliveryOrder::Unordered,
    };
    webhook.activity = match (form.ticked("enabled"), webhook.activity) {
        (false, _) => Activity::Disabled,
        (true, Activity::Disabled) => Activity::Active,
        (true, present) => present,
    };
    if let Err(invalid) = webhook.check() {
        problems.add(field_of(form, invalid.field().as_str()), rule(invalid));
        return None;
    }
    match present {
        Some(present) if !stays_or_enters(form, texts, problems, &webhook, present) => None,
        _ => Some(webhook),
    }
}

/// Returns which secrets were typed into this form, for the stored webhook.
pub(super) fn entered(form: &Form, present: &Webhook) -> ResubmittedSecrets {
    ResubmittedSecrets::default()
        .with_authorization(authorization::is_entered(form, &present.authorization))
        .with_client_key(certificate::is_key_entered(form))
        .with_headers(headers::is_entered(form))
}

/// Whether no stored secret would be sent to another target; asks for each that would.
fn stays_or_enters(
    form: &Form,
    texts: &Texts,
    problems: &mut Problems,
    new: &Webhook,
    present: &Webhook,
) -> bool {
    let carried = new.carried_elsewhere(present, entered(form, present));
    for field in &carried {
        let field = field_of(form, field.as_str());
        let question = match field {
            "auth" => texts.of("webhooks-problem-auth"),
            "client_key" => texts.of("webhooks-problem-client-key"),
            "unsign" => texts.of("webhooks-problem-unsign"),
            _ => texts.of("webhooks-problem-masked"),
        };
        problems.add(field, question);
    }
    carried.is_empty()
}

/// Returns the field of the form for a field of the record, by its name in the API.
pub(super) fn field_of(form: &Form, field: &'static str) -> &'static str {
    match field {
        "authorization_type" | "authorization_value" => "auth",
        field if field.starts_with("oauth_") => authorization::field_of(field),
        field if field.starts_with("client_") => certificate::field_of(field),
        "name" | "url" | "timeout" | "retries" | "retry_schedule" | "channels" | "rate"
        | "delivery_mode" => field,
        "signing_secrets" => "unsign",
        _ => headers::field(form),
    }
}

fn number<N: FromStr>(texts: &Texts, typed: &str) -> Result<N, String> {
    let number = typed.parse();
    number.map_err(|_| texts.of("webhooks-problem-whole-number").into_owned())
}

pub(super) fn fields(
    ctx: &PageContext,
    present: Option<&Webhook>,
    form: &Form,
    problems: &Problems,
    events: &Markup,
) -> Markup {
    let texts = ctx.texts();
    let (t, about_url) = (texts, hint(ctx, form.text("url")));
    let sheet = Sheet::new(texts, "webhooks", form, problems);
    let identity = present.and_then(|webhook| webhook.client_identity.as_ref());
    html! {
        section {
            (sheet.fields(webhook::TARGET))
            p.note.warn data-hint="url" hidden[about_url.is_empty()] { (about_url) }
            (sheet.field(&webhook::MODE, ""))
            div.when.fetch { p.note { (t.of("webhooks-form-mode-fetch-note")) } }
            (authorization_fields(&sheet, present))
        }
        (events)
        section { (headers::fields(&sheet)) }
        section {
            h2 { (t.of("webhooks-form-delivery-title")) }
            (sheet.fields(webhook::DELIVERY))
            div.when.insecure { div.note.warn { strong { (t.of("webhooks-form-insecure-use")) } " " (t.of("webhooks-form-insecure-risk")) } }
            @if form.ticked("unsign") || problems.of("unsign").is_some() {
                div #unsign { (sheet.field(&webhook::UNSIGN, "")) }
            }
            @if present.is_none() { (sheet.field(&webhook::SIGN, "")) }
        }
        section { (certificate::fields(ctx, &sheet, identity)) }
    }
}

/// Renders the type, and the fields of all types.
fn authorization_fields(sheet: &Sheet<'_>, present: Option<&Webhook>) -> Markup {
    let t = sheet.texts;
    let stored = present.map(|webhook| webhook.authorization.kind());
    // The note on a stored secret, which the page does not show.
    let more = if stored.is_some_and(|kind| kind != AuthorizationKind::None) {
        t.of("webhooks-form-secret-stored")
    } else if sheet.problems.is_empty() {
        Cow::default()
    } else {
        t.of("webhooks-form-secret-again")
    };
    html! {
        (sheet.choice("auth", &webhook::AUTH.map(|(kind, _)| kind)))
        @for (kind, fields) in webhook::AUTH {
            @if !fields.is_empty() {
                fieldset class={ "when " (kind) } {
                    legend.unseen { (sheet.text("auth", &format!("-{kind}"))) }
                    @for field in fields { (sheet.field(field, if field.is_secret() { &more } else { "" })) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use webhook_model::{Field, Headers, SigningSecret};

    use super::*;

    #[test]
    fn webhook_record_fields_all_map_to_form_fields() {
        let form = fresh();
        for (field, place) in [
            (Field::Name, "name"),
            (Field::Url, "url"),
            (Field::AuthorizationType, "auth"),
            (Field::AuthorizationValue, "auth"),
            (Field::OAuthTokenUrl, "oauth_token_url"),
            (Field::OAuthClientId, "oauth_client_id"),
            (Field::OAuthScope, "oauth_scope"),
            (Field::OAuthClientAuthentication, "oauth_client_auth"),
            (Field::ClientCertificate, "client_certificate"),
            (Field::ClientKey, "client_key"),
            (Field::Headers, "header"),
            (Field::Timeout, "timeout"),
            (Field::Retries, "retries"),
            (Field::RetrySchedule, "retry_schedule"),
            (Field::Channels, "channels"),
            (Field::RateLimit, "rate"),
            (Field::DeliveryMode, "delivery_mode"),
            (Field::SigningSecrets, "unsign"),
        ] {
            assert_eq!(field_of(&form, field.as_str()), place, "{field:?}");
        }
        let form = form.with("header_mode", "text");
        assert_eq!(field_of(&form, Field::Headers.as_str()), "headers_text");
    }

    #[test]
    fn pasted_fields_lose_their_surroundings() {
        for around in [" ", "\r\n", "\u{feff}", "\u{200b}"] {
            let of = |text: &str| -> String {
                let text = format!("{around}{text}{around}");
                url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
            };
            let parsed = |auth: &str| {
                let fields = [
                    ("name", "w"),
                    ("url", "https://example.com/in"),
                    ("timeout", "5"),
                    ("retries", "3"),
                    ("rate", "7"),
                    ("retry_schedule", "5s"),
                    ("channels", "a"),
                    ("token", "t0k"),
                    ("key", "a key"),
                    ("user", "bot"),
                    ("password", "p w"),
                    ("oauth_token_url", "https://example.com/token"),
                    ("oauth_client_id", "id"),
                    ("oauth_secret", "s"),
                    ("oauth_scope", "a b"),
                ];
                let fields = fields.map(|(name, value)| format!("{name}={}", of(value)));
                let sent = format!("auth={auth}&{}", fields.join("&"));
                let (form, texts) = (Form::parse(sent.as_bytes()), Texts::english());
                let mut problems = Problems::new(&texts);
                let parsed = parse(&form, &texts, &mut problems, OwnerId(3), None);
                parsed.unwrap_or_else(|| panic!("{around:?} {auth} {problems:?}"))
            };
            let webhook = parsed("bearer");
            assert_eq!(webhook.name.as_str(), "w");
            assert_eq!(webhook.authorization, Authorization::bearer("t0k").unwrap());
            let key = Authorization::api_key("a key").unwrap();
            assert_eq!(parsed("apikey").authorization, key);
            let basic = Authorization::basic("bot", "p w").unwrap();
            assert_eq!(parsed("basic").authorization, basic);
            let Authorization::OAuth2(client) = parsed("oauth2").authorization else {
                panic!("{around:?}");
            };
            assert_eq!((client.client_id(), client.scope()), ("id", "a b"));
            assert_eq!(client.client_secret().expose(), "s");
        }
    }

    #[test]
    fn changed_target_requires_secrets_to_be_reentered() {
        let url = "https://example.com/in".parse().unwrap();
        let mut before = Webhook::new(OwnerId(3), "chat".parse().unwrap(), url);
        before.headers = Headers::parse_lines("X-Token:t0ken\n").unwrap();
        before.authorization = Authorization::basic("bot", "p").unwrap();
        let secret = SigningSecret::from_random([7; 32]);
        before.signing = SigningSecrets::new(vec![secret]).unwrap();
        let asked = |form: &Form| {
            let texts = Texts::english();
            let mut problems = Problems::new(&texts);
            let parsed = parse(form, &texts, &mut problems, OwnerId(3), Some(&before));
            assert_eq!(parsed.is_none(), !problems.is_empty(), "{problems:?}");
            let fields: Vec<_> = problems.iter().map(|(field, _)| field.to_owned()).collect();
            fields.join(" ")
        };
        let form = stored(&before).with("url", "https://example.com:443/in");
        assert_eq!(asked(&form), "");
        let form = form.with("url", "https://example.com/other");
        assert_eq!(asked(&form), "auth header unsign");
        let form = form.with("url", "https://example.com:444/in");
        // A new user name does not replace the password.
        let form = form.with("user", "other");
        assert_eq!(asked(&form), "auth header unsign");
        let form = form.with("password", "p").with("header.0.value", "t0ken");
        assert_eq!(asked(&form), "unsign");
        assert_eq!(asked(&form.with_tick("unsign", true)), "");
        let form = stored(&before).with_tick("insecure", true);
        let form = form.with_tick("unsign", true).with("auth", "none");
        assert_eq!(asked(&form), "header");
        let form = form.with("header.0.name", "").with("header.0.value", "");
        assert_eq!(asked(&form), "");
    }

    #[test]
    fn stored_webhook_round_trips_through_its_form() {
        let url = "https://example.com/in".parse().unwrap();
        let mut before = Webhook::new(OwnerId(3), "chat".parse().unwrap(), url);
        before.headers = Headers::parse_lines("X-Token:t0ken\nX-Route:a\n").unwrap();
        before.authorization = Authorization::basic("bot", "p").unwrap();
        before.activity = Activity::Paused;
        before.mode = DeliveryMode::Fetch;
        before.retry_schedule = Some("5s, 1m, 90s".parse().unwrap());
        before.channels = "project-7, billing".parse().unwrap();
        let texts = Texts::english();
        let mut problems = Problems::new(&texts);
        let form = stored(&before);
        assert_eq!(form.text("password"), "");
        let parsed = parse(&form, &texts, &mut problems, OwnerId(3), Some(&before));
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(parsed, Some(before));
    }
}
