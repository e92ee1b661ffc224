//! The English texts, part by part.

use fluent_bundle::FluentResource;
use unic_langid::LanguageIdentifier;

use super::Texts;

/// All of them; each part of the console has a file.
pub(super) const SOURCE: &str = concat!(
    include_str!("../../locales/en/frame.ftl"),
    "\n",
    include_str!("../../locales/en/forms.ftl"),
    "\n",
    include_str!("../../locales/en/home.ftl"),
    "\n",
    include_str!("../../locales/en/lists.ftl"),
    "\n",
    include_str!("../../locales/en/keys.ftl"),
    "\n",
    include_str!("../../locales/en/webhooks.ftl"),
    "\n",
    include_str!("../../locales/en/deliveries.ftl"),
    "\n",
    include_str!("../../locales/en/tasks.ftl"),
    "\n",
    include_str!("../../locales/en/events.ftl"),
);

pub(super) fn texts() -> Texts {
    Texts::new(language(), [resource()])
}

pub(super) fn resource() -> FluentResource {
    // A test says that nothing of it is left out.
    FluentResource::try_new(SOURCE.to_owned()).unwrap_or_else(|(read, _)| read)
}

fn language() -> LanguageIdentifier {
    LanguageIdentifier::from_bytes(b"en").unwrap_or_default()
}
