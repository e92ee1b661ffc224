//! What may become of leaked keys, in words of a form.

use gatepost_manage::OnLeak;

/// What may be chosen, and what that is called.
pub(super) const CHOICES: [(OnLeak, &str); 3] = [
    (OnLeak::Report, "keys-leaked-report"),
    (OnLeak::Disable, "keys-leaked-disable"),
    (OnLeak::Delete, "keys-leaked-delete"),
];

/// As it is in a form.
pub(super) fn word(then: OnLeak) -> &'static str {
    match then {
        OnLeak::Report => "report",
        OnLeak::Disable => "disable",
        OnLeak::Delete => "delete",
    }
}

/// As a form sent it.
pub(super) fn parse(sent: &str) -> Option<OnLeak> {
    let mut all = CHOICES.iter().map(|(then, _)| *then);
    all.find(|then| word(*then) == sent)
}
