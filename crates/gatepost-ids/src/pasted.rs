//! Characters that are typed, pasted or saved along with a text and are not part of it.

/// Returns the text without the characters around it that are not part of it: white space including
/// line breaks, byte order marks, zero-width characters, and the direction marks that pages and
/// dialogs put around the text they show.
///
/// This rule applies to every one-line text that a person enters: names, URLs, addresses, numbers,
/// keys, tokens, secrets, and passwords in files and variables. It never changes the inside of the
/// text: each kind of text has its own rule for that.
///
/// ```
/// use gatepost_ids::trim_pasted;
///
/// assert_eq!(trim_pasted("\u{feff}https://example.com/in \r\n"), "https://example.com/in");
/// assert_eq!(trim_pasted("a \u{200b} b"), "a \u{200b} b");
/// ```
#[must_use]
pub fn trim_pasted(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || is_mark(c))
}

/// Returns whether this character has no width and carries no meaning at the edge of a text.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_text_loses_what_surrounds_it() {
        for around in [
            " ",
            "\t",
            "\n",
            "\r\n",
            "\u{b}",
            "\u{a0}",
            "\u{2028}",
            "\u{3000}",
            "\u{feff}",
            "\u{200b}",
            "\u{200c}",
            "\u{200d}",
            "\u{200e}",
            "\u{202a}",
            "\u{2060}",
            "\u{2068}",
            "\u{2069}",
            " \u{feff}\u{200b}\r\n\t",
        ] {
            let text = format!("{around}a b{around}");
            assert_eq!(trim_pasted(&text), "a b", "{around:?}");
            assert_eq!(trim_pasted(around), "", "{around:?}");
        }
    }

    #[test]
    fn pasted_text_keeps_what_is_inside() {
        for text in [
            "",
            "a",
            "a\nb",
            "a\u{200b}b",
            "\0a",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
        ] {
            assert_eq!(trim_pasted(text), text, "{text:?}");
        }
    }
}
