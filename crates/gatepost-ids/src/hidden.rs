//! Hidden characters, which make one name look like another: `exe.png` with a direction override is
//! shown as `gnp.exe`.

use std::borrow::Cow;

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
/// Encloses the preceding digit in a telephone key.
const KEYCAP: char = '\u{20e3}';

/// Returns the first hidden character of a text that no script needs at its position. Names and
/// descriptions must not contain one.
///
/// Hidden characters are soft hyphens, zero-width spaces, byte order marks, direction marks,
/// embeddings, overrides and isolates, line and paragraph separators, tags, fillers and other
/// characters that are ignored when text is shown. Some are part of writing and are allowed in
/// their context: a single joiner (U+200C, U+200D) between two characters beyond ASCII, as in
/// Persian and in emoji; a variation selector after a character beyond ASCII, or within a keycap
/// such as `1️⃣`.
///
/// ```
/// use gatepost_ids::hidden_character;
///
/// assert_eq!(hidden_character("x\u{202e}gnp.exe"), Some('\u{202e}'));
/// assert_eq!(hidden_character("می\u{200c}خواهم"), None);
/// ```
#[must_use]
pub fn hidden_character(text: &str) -> Option<char> {
    hidden(text).map(|(_, c)| c).next()
}

/// Returns the text with every hidden character in a visible form, such as `[U+202E]`.
///
/// ```
/// assert_eq!(gatepost_ids::mark_hidden("x\u{202e}y"), "x[U+202E]y");
/// ```
#[must_use]
pub fn mark_hidden(text: &str) -> Cow<'_, str> {
    let mut marked = String::new();
    let mut rest = 0;
    for (at, c) in hidden(text) {
        marked.push_str(text.get(rest..at).unwrap_or_default());
        marked.extend(["[U+", &format!("{:04X}", u32::from(c)), "]"]);
        rest = at + c.len_utf8();
    }
    if rest == 0 {
        return text.into();
    }
    marked.push_str(text.get(rest..).unwrap_or_default());
    marked.into()
}

fn hidden(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|&(at, c)| {
        let head = text.get(..at).unwrap_or_default();
        let after = || text.get(at + c.len_utf8()..)?.chars().next();
        match c {
            NON_JOINER | JOINER => {
                // A selector belongs to the character before it.
                let head = head.strip_suffix(is_selector).unwrap_or(head);
                !head.ends_with(is_seen) || !after().is_some_and(is_seen)
            }
            _ if is_selector(c) => {
                let is_keycap = head.ends_with(|c: char| c.is_ascii()) && after() == Some(KEYCAP);
                !is_keycap && !head.ends_with(is_seen)
            }
            _ => is_ignorable(c),
        }
    })
}

/// Returns whether a joiner or a selector may follow or precede this character: it is visible and
/// beyond ASCII.
fn is_seen(c: char) -> bool {
    !c.is_ascii()
        && !c.is_whitespace()
        && !is_ignorable(c)
        && !is_selector(c)
        && !matches!(c, NON_JOINER | JOINER)
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// Returns whether this character is invisible in any context: Unicode's
/// `Default_Ignorable_Code_Point`, without joiners and variation selectors, and the separators of
/// lines and paragraphs.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_character_is_found_in_misleading_text() {
        for (text, found) in [
            ("x\u{202e}gnp.exe", '\u{202e}'),
            ("\u{2067}admin\u{2069}", '\u{2067}'),
            ("ad\u{200b}min", '\u{200b}'),
            ("ad\u{200d}min", '\u{200d}'),
            ("ad\u{ad}min", '\u{ad}'),
            ("\u{feff}admin", '\u{feff}'),
            ("admin\u{200c}", '\u{200c}'),
            ("می\u{200c}", '\u{200c}'),
            ("می\u{200c}\u{200c}خ", '\u{200c}'),
            ("می\u{200c} خ", '\u{200c}'),
            ("a\u{200e}b", '\u{200e}'),
            ("a\u{200f}b", '\u{200f}'),
            ("a\u{2028}b", '\u{2028}'),
            ("a\u{e0061}\u{e007f}", '\u{e0061}'),
            ("a\u{fe0f}b", '\u{fe0f}'),
            ("\u{fe0f}", '\u{fe0f}'),
            ("❤\u{fe0f}\u{fe0f}", '\u{fe0f}'),
            ("👩\u{200d}\u{fe0f}👩", '\u{200d}'),
            ("a\u{fe0f}\u{200d}خ", '\u{fe0f}'),
            ("\u{3164}", '\u{3164}'),
            ("a\u{206a}b", '\u{206a}'),
        ] {
            assert_eq!(hidden_character(text), Some(found), "{text:?}");
        }
    }

    #[test]
    fn ordinary_text_has_no_hidden_character() {
        for text in [
            "",
            "Deploys to #ops",
            "Zoë's 🔑",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}👩\u{200d}👧\u{200d}👦",
            "❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3}",
            "שלום עולם",
            "مرحبا",
            "日本語",
            "a\tb\r\nc",
            "no\u{a0}break",
            "e\u{301}",
        ] {
            assert_eq!(hidden_character(text), None, "{text:?}");
            assert_eq!(mark_hidden(text), text);
        }
    }

    #[test]
    fn marked_text_contains_no_hidden_character() {
        for text in [
            "\u{202e}",
            "a\u{200b}b\u{feff}",
            "می\u{200c}",
            "👩\u{200d}\u{200d}👧",
        ] {
            let marked = mark_hidden(text);
            assert_eq!(hidden_character(&marked), None, "{marked:?}");
            assert!(marked.contains("[U+"), "{marked:?}");
        }
    }
}
