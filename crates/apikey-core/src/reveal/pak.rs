use std::fmt;

use zeroize::Zeroizing;

use crate::record::KeyName;

/// The maximum length of a file name without its extension, in bytes: with `.PAK` and a browser's `
/// (12)` it stays below the 255 that file systems allow.
const MAX_STEM: usize = 120;

/// A Protected API Key file (SPEC 2.1 rule 1). It contains only the key string, so that `"Bearer "
/// + file` is a valid header: with a newline many HTTP clients refuse it, and some print it.
///
/// Wiped when dropped; neither `Clone` nor `Serialize`; `Debug` prints the file name.
pub struct Pak {
    file_name: String,
    contents: Zeroizing<String>,
}

impl Pak {
    pub(super) fn new(name: &KeyName, key: &str) -> Self {
        Self {
            file_name: format!("{}.PAK", stem(name.as_str())),
            contents: Zeroizing::new(key.to_owned()),
        }
    }

    /// Returns `NAME.PAK`, with characters that are invalid in a file system or a header replaced
    /// by `_`.
    #[must_use]
    pub fn file_name(&self) -> &str {
        &self.file_name
    }

    /// Returns the key string.
    #[must_use]
    pub fn contents(&self) -> &str {
        &self.contents
    }
}

impl fmt::Debug for Pak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pak({:?}, redacted)", self.file_name)
    }
}

fn stem(name: &str) -> String {
    let replaced: String = name
        .chars()
        .map(|c| if is_unsafe(c) { '_' } else { c })
        .collect();
    // A leading dot hides a file; Windows drops trailing dots and spaces.
    let outer = |c: char| c == '.' || c.is_whitespace();
    let cut = replaced.trim_matches(outer);
    let ends = cut.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends.take_while(|end| *end <= MAX_STEM).last();
    let cut = cut.get(..end.unwrap_or_default()).unwrap_or_default();
    let cut = cut.trim_end_matches(outer);
    if cut.is_empty() {
        "key".to_owned()
    } else if is_reserved(cut) {
        format!("_{cut}")
    } else {
        cut.to_owned()
    }
}

/// Returns whether a file name must not contain this character: path separators, characters that
/// Windows forbids, control characters, and invisible characters that make one name look like
/// another (`U+202E` reverses the end of a name).
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{61c}' | '\u{ad}' | '\u{feff}')
}

/// Returns whether Windows reserves this name for a device, whatever extension follows.
fn is_reserved(stem: &str) -> bool {
    let device = stem.split('.').next().unwrap_or(stem).trim_end();
    let device = device.to_ascii_uppercase();
    if matches!(
        &*device,
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) {
        return true;
    }
    let number = device
        .strip_prefix("COM")
        .or_else(|| device.strip_prefix("LPT"));
    let mut rest = number.unwrap_or_default().chars();
    matches!(
        (rest.next(), rest.next()),
        (Some('0'..='9' | '¹' | '²' | '³'), None)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pak_file_name_is_safe_on_every_system() {
        for (name, expected) in [
            ("ci", "ci"),
            ("Zoë's key 2", "Zoë's key 2"),
            ("../../etc/passwd", "_.._etc_passwd"),
            ("..\\..\\boot", "_.._boot"),
            ("C:\\key", "C__key"),
            ("a\"; rm -rf *", "a_; rm -rf _"),
            (".bashrc", "bashrc"),
            ("...", "key"),
            (". .", "key"),
            ("end. ", "end"),
            ("con", "_con"),
            ("NUL.txt", "_NUL.txt"),
            ("com7", "_com7"),
            ("LPT¹", "_LPT¹"),
            ("COM", "COM"),
            ("COM10", "COM10"),
            ("console", "console"),
            ("cod\u{202e}exe", "cod_exe"),
        ] {
            assert_eq!(stem(name), expected, "{name:?}");
        }
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        let name = format!("a{}", "é".repeat(127));
        let cut = stem(&name);
        assert!(cut.len() <= MAX_STEM && cut.len() > MAX_STEM - 2);
        assert!(name.starts_with(&cut));
    }
}
