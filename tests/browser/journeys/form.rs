//! The forms of a journey: the width, the colour scheme, scripts and the input device.

use std::collections::BTreeSet;
use std::fmt;

use tests::browser::Look;

/// Six forms that contain every pair of width, scheme, scripts and input device.
pub(super) const FORMS: [Form; 6] = [
    form(390, false, true, Hand::Mouse),
    form(390, true, false, Hand::Keyboard),
    form(768, false, false, Hand::Mouse),
    form(768, true, true, Hand::Keyboard),
    form(1440, false, true, Hand::Keyboard),
    form(1440, true, false, Hand::Mouse),
];

/// Halves of these forms, each with every width, both schemes, with and without scripts, and both
/// input devices. Journeys alternate between them.
pub(super) const HALVES: [[usize; 3]; 2] = [[0, 3, 5], [1, 2, 4]];

/// The input device.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Hand {
    Mouse,
    Keyboard,
}

/// A window and an input device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) look: Look,
    pub(super) hand: Hand,
}

const fn form(width: u32, dark: bool, scripts: bool, hand: Hand) -> Form {
    let look = Look {
        width,
        dark,
        scripts,
    };
    Form { look, hand }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dark = if self.look.dark { "dark" } else { "light" };
        let scripts = if self.look.scripts {
            "scripts"
        } else {
            "plain"
        };
        let hand = match self.hand {
            Hand::Mouse => "mouse",
            Hand::Keyboard => "keys",
        };
        write!(f, "{} {dark} {scripts} {hand}", self.look.width)
    }
}

/// Returns all possible forms.
pub(super) fn every_form() -> Vec<Form> {
    let mut all = Vec::new();
    for width in [390, 768, 1440] {
        for dark in [false, true] {
            for scripts in [true, false] {
                for hand in [Hand::Mouse, Hand::Keyboard] {
                    all.push(form(width, dark, scripts, hand));
                }
            }
        }
    }
    all
}

/// Returns the pairs of properties of these forms.
fn pairs(forms: &[Form]) -> BTreeSet<(String, String)> {
    let mut pairs = BTreeSet::new();
    for form in forms {
        let text = form.to_string();
        let words: Vec<&str> = text.split(' ').collect();
        for (at, one) in words.iter().enumerate() {
            let others = words[at + 1..].iter();
            pairs.extend(others.map(|other| ((*one).to_owned(), (*other).to_owned())));
        }
    }
    pairs
}

#[test]
fn every_form_is_another() {
    let all: BTreeSet<_> = every_form().iter().map(Form::to_string).collect();
    assert_eq!(all.len(), 3 * 2 * 2 * 2);
    assert!(FORMS.iter().all(|form| all.contains(&form.to_string())));
}

#[test]
fn forms_cover_all_width_scheme_scripts_device_pairs() {
    // Three widths with six words, and three pairs of two by two.
    assert_eq!(pairs(&FORMS).len(), 3 * 6 + 3 * 4);
    for half in HALVES {
        let words = half.map(|at| FORMS[at].to_string());
        let words: BTreeSet<&str> = words.iter().flat_map(|text| text.split(' ')).collect();
        assert_eq!(words.len(), 3 + 2 + 2 + 2, "{words:?}");
    }
}
