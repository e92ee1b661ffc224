//! The English texts, part by part.

use fluent_bundle::FluentResource;

/// All English texts; each part of the console has a file.
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
    "\n",
    include_str!("../../locales/en/changes.ftl"),
    "\n",
    include_str!("../../locales/en/rules.ftl"),
);

/// Returns the parsed English texts.
pub(super) fn resource() -> FluentResource {
    // A test ensures that nothing of it is left out.
    FluentResource::try_new(SOURCE.to_owned()).unwrap_or_else(|(read, _)| read)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::super::check::variables;
    use super::*;

    /// Collects every text literal of the console's sources that has the form of a name.
    fn literals(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                literals(&path, found);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let source = std::fs::read_to_string(&path).unwrap();
                let source = source.split("#[cfg(test)]").next().unwrap();
                found.extend(source.split('"').map(str::to_owned));
            }
        }
    }

    /// Whether a literal with variables, such as `{}-done-{word}`, produces this name.
    fn makes(literal: &str, name: &str) -> bool {
        let mut fixed = Vec::new();
        for piece in literal.split('{') {
            fixed.push(piece.split_once('}').map_or(piece, |(_, rest)| rest));
        }
        let text = fixed.concat();
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let Some((last, others)) = fixed.split_last().filter(|(_, others)| !others.is_empty())
        else {
            return false;
        };
        if !text.contains('-') || text.len() < 3 || !text.bytes().all(is_part) {
            return false;
        }
        let mut rest = name;
        for (at, piece) in others.iter().enumerate() {
            match rest.find(piece) {
                Some(begin) if at > 0 || begin == 0 => rest = &rest[begin + piece.len()..],
                _ => return false,
            }
        }
        rest.len() > last.len() && rest.ends_with(last)
    }

    #[test]
    fn list_texts_exist_for_every_console_list() {
        let texts = super::super::Texts::english();
        for list in ["keys", "webhooks", "tasks", "events", "changes"] {
            for what in ["search", "searched", "count", "more", "matches", "too-many"] {
                let name = format!("lists-{list}-{what}");
                assert!(texts.find(&name).is_some(), "{name}");
            }
            let none = ["title", "text"].map(|what| format!("{list}-none-{what}"));
            assert!(
                none.iter().all(|name| texts.find(name).is_some()),
                "{none:?}"
            );
        }
    }

    fn parts() -> BTreeSet<&'static str> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("locales/en");
        let files = std::fs::read_dir(source).unwrap();
        let names = files.map(|file| file.unwrap().path());
        let names = names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
        names.map(|name| &*name.leak()).collect()
    }

    #[test]
    fn text_names_are_all_used_and_defined() {
        let english = resource();
        let known: BTreeSet<&str> = variables(&english).into_keys().collect();
        let mut literal = BTreeSet::new();
        literals(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut literal,
        );
        // Texts that are recognized by their English are not looked up by name.
        let recognized = |name: &&&str| name.starts_with("rules-");
        let is_made = |name: &str| literal.iter().any(|literal| makes(literal, name));
        let unused: Vec<_> = known
            .iter()
            .filter(|name| !literal.contains(**name) && !is_made(name) && !recognized(name))
            .collect();
        assert!(unused.is_empty(), "no page says {unused:?}");
        let is_name = |text: &&String| {
            let part = text.split_once('-').map_or("", |(part, _)| part);
            let letters =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            parts().contains(part) && text.bytes().all(letters) && !text.ends_with('-')
        };
        let names = literal.iter().filter(is_name).map(String::as_str);
        let missing: Vec<_> = names.filter(|name| !known.contains(name)).collect();
        assert!(missing.is_empty(), "there is no text {missing:?}");
    }

    #[test]
    fn english_texts_parse_with_unique_names() {
        let read = FluentResource::try_new(SOURCE.to_owned());
        let read = read.map_err(|(_, errors)| errors).unwrap();
        let names: Vec<&str> = SOURCE
            .lines()
            .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
            .filter_map(|line| line.split_once(" =").map(|(name, _)| name))
            .collect();
        let once: BTreeSet<_> = names.iter().collect();
        assert_eq!(
            (names.len(), once.len()),
            (
                read.entries()
                    .filter(|entry| matches!(entry, fluent_syntax::ast::Entry::Message(_)))
                    .count(),
                names.len()
            )
        );
        for part in parts() {
            assert!(
                names.iter().any(|name| name.starts_with(part)),
                "{part} is not read"
            );
        }
    }
}
