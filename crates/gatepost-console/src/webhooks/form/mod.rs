//! The form of a webhook, parsed with the same types as the API's input.

mod authorization;
mod client_identity;
mod headers;
mod limits;
mod oauth2;

pub(super) use authorization::AuthorizationFields;
pub(super) use client_identity::ClientIdentityFields;
pub(super) use headers::{HeaderFields, MASK};
pub(super) use limits::LimitFields;
pub(super) use oauth2::OAuth2Fields;
use webhook_model::{
    Activity, DeliveryMode, Entered, OwnerId, SigningSecrets, TargetUrl, Webhook, WebhookName,
};

use crate::form::Form;
use crate::problems::{Problems, rule};
use crate::texts::Texts;

/// The content of the fields, valid or not.
#[derive(Default)]
pub(super) struct WebhookForm {
    pub name: String,
    pub url: String,
    pub authorization: AuthorizationFields,
    pub client_identity: ClientIdentityFields,
    pub headers: HeaderFields,
    pub limits: LimitFields,
    /// `push` or `fetch`; empty where the form has no such field.
    pub mode: String,
    pub insecure: bool,
    pub enabled: bool,
    /// A new webhook gets a signing secret.
    pub sign: bool,
    /// An existing one loses its own.
    pub unsign: bool,
}

impl WebhookForm {
    /// The form of a new webhook.
    pub(super) fn fresh() -> Self {
        Self {
            authorization: AuthorizationFields {
                kind: "none".into(),
                ..AuthorizationFields::default()
            },
            headers: HeaderFields::json(),
            limits: LimitFields {
                timeout: "5".into(),
                retries: "3".into(),
                ..LimitFields::default()
            },
            mode: DeliveryMode::default().as_str().into(),
            enabled: true,
            ..Self::default()
        }
    }

    pub(super) fn sent(form: &Form) -> Self {
        Self {
            name: form.text("name").to_owned(),
            url: form.text("url").to_owned(),
            authorization: AuthorizationFields::sent(form),
            client_identity: ClientIdentityFields::sent(form),
            headers: HeaderFields::sent(form),
            limits: LimitFields::sent(form),
            mode: form.text("delivery_mode").to_owned(),
            insecure: form.ticked("insecure"),
            enabled: form.ticked("enabled"),
            sign: form.ticked("sign"),
            unsign: form.ticked("unsign"),
        }
    }

    /// What is stored, with its secrets masked.
    pub(super) fn of(webhook: &Webhook) -> Self {
        Self {
            name: webhook.name.to_string(),
            url: webhook.url.as_str().to_owned(),
            authorization: AuthorizationFields::of(&webhook.authorization),
            client_identity: ClientIdentityFields::default(),
            headers: HeaderFields::of(&webhook.headers),
            limits: LimitFields::of(webhook),
            mode: webhook.mode.as_str().to_owned(),
            insecure: webhook.allow_insecure,
            enabled: webhook.activity != Activity::Disabled,
            sign: false,
            unsign: false,
        }
    }

    /// Parses the fields; each error is noted beside its field. What is masked or left out is taken
    /// from `present`.
    pub(super) fn parse(
        &self,
        texts: &Texts,
        problems: &mut Problems,
        owner: OwnerId,
        present: Option<&Webhook>,
    ) -> Option<Webhook> {
        let name = problems.take("name", self.name.parse::<WebhookName>().map_err(rule));
        let url = problems.take("url", self.url.parse::<TargetUrl>().map_err(rule));
        let authorization = self
            .authorization
            .parse(problems, present.map(|webhook| &webhook.authorization));
        let present_identity = present.and_then(|webhook| webhook.client_identity.as_ref());
        let client_identity = self.client_identity.parse(problems, present_identity);
        let headers = self
            .headers
            .parse(texts, problems, present.map(|webhook| &webhook.headers));
        let timeout = self.limits.timeout(texts, problems);
        let retries = self.limits.retries(texts, problems);
        let retry_schedule = self.limits.retry_schedule(problems);
        let channels = self.limits.channels(problems);
        let rate = self.limits.rate(texts, problems);
        let mode = match self.mode.as_str() {
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
        webhook.allow_insecure = self.insecure;
        if self.unsign {
            webhook.signing = SigningSecrets::none();
        }
        webhook.order = self.limits.order();
        webhook.activity = match (self.enabled, webhook.activity) {
            (false, _) => Activity::Disabled,
            (true, Activity::Disabled) => Activity::Active,
            (true, present) => present,
        };
        webhook
            .check()
            .map_err(|invalid| problems.add(self.field_of(invalid.field().as_str()), rule(invalid)))
            .ok()?;
        match present {
            Some(present) if !self.stays_or_enters(texts, problems, &webhook, present) => None,
            _ => Some(webhook),
        }
    }

    /// Which secrets were typed into this form, for the webhook that is stored.
    pub(super) fn entered(&self, present: &Webhook) -> Entered {
        Entered::default()
            .with_authorization(self.authorization.is_entered(&present.authorization))
            .with_client_key(self.client_identity.is_key_entered())
            .with_headers(self.headers.is_entered())
    }

    /// Whether no stored secret would go elsewhere; asks for each that would.
    fn stays_or_enters(
        &self,
        texts: &Texts,
        problems: &mut Problems,
        new: &Webhook,
        present: &Webhook,
    ) -> bool {
        let carried = new.carried_elsewhere(present, self.entered(present));
        for field in &carried {
            let field = self.field_of(field.as_str());
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

    /// The form field for a field of the record, as it is called on the wire.
    pub(super) fn field_of(&self, field: &str) -> &'static str {
        match field {
            "name" => "name",
            "url" => "url",
            "authorization_type" | "authorization_value" => "auth",
            field if field.starts_with("oauth_") => oauth2::field_of(field),
            field if field.starts_with("client_") => client_identity::field_of(field),
            "timeout" => "timeout",
            "retries" => "retries",
            "retry_schedule" => "retry_schedule",
            "channels" => "channels",
            "rate" => "rate",
            "delivery_mode" => "delivery_mode",
            "signing_secrets" => "unsign",
            _ => self.headers.field(),
        }
    }
}

#[cfg(test)]
mod tests {
    use webhook_model::{Authorization, Field, Headers, SigningSecret, SigningSecrets};

    use super::*;

    #[test]
    fn every_field_of_the_record_has_its_place_on_the_page() {
        let mut form = WebhookForm::fresh();
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
            assert_eq!(form.field_of(field.as_str()), place, "{field:?}");
        }
        form.headers.by_text = true;
        assert_eq!(form.field_of(Field::Headers.as_str()), "headers_text");
    }

    #[test]
    fn pasted_fields_lose_their_surroundings() {
        for around in [" ", "\r\n", "\u{feff}", "\u{200b}"] {
            let of = |text: &str| -> String {
                let text = format!("{around}{text}{around}");
                url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
            };
            let parse = |auth: &str| {
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
                let form = WebhookForm::sent(&Form::parse(sent.as_bytes()));
                let mut problems = Problems::new(&Texts::english());
                let parsed = form.parse(&Texts::english(), &mut problems, OwnerId(3), None);
                parsed.unwrap_or_else(|| panic!("{around:?} {auth} {problems:?}"))
            };
            let webhook = parse("bearer");
            assert_eq!(webhook.name.as_str(), "w");
            assert_eq!(webhook.authorization, Authorization::bearer("t0k").unwrap());
            let key = Authorization::api_key("a key").unwrap();
            assert_eq!(parse("apikey").authorization, key);
            let basic = Authorization::basic("bot", "p w").unwrap();
            assert_eq!(parse("basic").authorization, basic);
            let Authorization::OAuth2(client) = parse("oauth2").authorization else {
                panic!("{around:?}");
            };
            assert_eq!((client.client_id(), client.scope()), ("id", "a b"));
            assert_eq!(client.client_secret().expose(), "s");
        }
    }

    #[test]
    fn a_secret_that_would_go_elsewhere_is_asked_for() {
        let url = "https://example.com/in".parse().unwrap();
        let mut stored = Webhook::new(OwnerId(3), "chat".parse().unwrap(), url);
        stored.headers = Headers::parse_lines("X-Token:t0ken\n").unwrap();
        stored.authorization = Authorization::basic("bot", "p").unwrap();
        let secret = SigningSecret::from_random([7; 32]);
        stored.signing = SigningSecrets::new(vec![secret]).unwrap();
        let asked = |form: &WebhookForm| {
            let mut problems = Problems::new(&Texts::english());
            let parsed = form.parse(&Texts::english(), &mut problems, OwnerId(3), Some(&stored));
            assert_eq!(parsed.is_none(), !problems.is_empty(), "{problems:?}");
            let fields: Vec<_> = problems.iter().map(|(field, _)| field.to_owned()).collect();
            fields.join(" ")
        };
        let mut form = WebhookForm::of(&stored);
        form.url = "https://example.com:443/in".into();
        assert_eq!(asked(&form), "");
        form.url = "https://example.com/other".into();
        assert_eq!(asked(&form), "auth header unsign");
        form.url = "https://example.com:444/in".into();
        // Another user is no other password.
        form.authorization.user = "other".into();
        assert_eq!(asked(&form), "auth header unsign");
        form.authorization.password = "p".into();
        form.headers.rows.rows[0][1] = "t0ken".into();
        assert_eq!(asked(&form), "unsign");
        form.unsign = true;
        assert_eq!(asked(&form), "");
        let mut form = WebhookForm::of(&stored);
        (form.insecure, form.unsign, form.authorization.kind) = (true, true, "none".into());
        assert_eq!(asked(&form), "header");
        form.headers.rows.rows.clear();
        assert_eq!(asked(&form), "");
    }

    #[test]
    fn a_stored_webhook_is_the_same_after_its_form_is_parsed() {
        let url = "https://example.com/in".parse().unwrap();
        let mut stored = Webhook::new(OwnerId(3), "chat".parse().unwrap(), url);
        stored.headers = Headers::parse_lines("X-Token:t0ken\nX-Route:a\n").unwrap();
        stored.authorization = Authorization::basic("bot", "p").unwrap();
        stored.activity = Activity::Paused;
        stored.mode = DeliveryMode::Fetch;
        stored.retry_schedule = Some("5s, 1m, 90s".parse().unwrap());
        stored.channels = "project-7, billing".parse().unwrap();
        let mut problems = Problems::new(&Texts::english());
        let form = WebhookForm::of(&stored);
        assert_eq!(form.authorization.password, "");
        let parsed = form.parse(&Texts::english(), &mut problems, OwnerId(3), Some(&stored));
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(parsed, Some(stored));
    }
}
