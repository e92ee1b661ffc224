//! The actions and observations of a user, in the words of the page.

/// A key or a secret that is shown once: it is copied, and the popup is closed.
pub(super) const KEEP: Step = Step::Either(
    &[Step::Push("Copy"), Step::See("Copied."), Step::Push("Done")],
    &[Step::Tick("I have copied or saved it"), Step::Press("Done")],
);

/// One step. Names are those that a screen reader announces: the text of links and buttons, the
/// label of fields.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Follows a link to another page.
    Follow(&'static str),
    /// Presses a button that leads to another page.
    Press(&'static str),
    /// Presses a button or a link that changes its own page.
    Push(&'static str),
    /// Unfolds a section.
    Unfold(&'static str),
    /// Replaces the content of a field; `{target}` is the address of the receiver, `{leaked}` the
    /// key of [`Given::Leaked`].
    Fill(&'static str, &'static str),
    /// Ticks a checkbox.
    Tick(&'static str),
    /// Selects one of several radio buttons.
    Pick(&'static str),
    /// Chooses an option of a list.
    Choose(&'static str, &'static str),
    /// Chooses an option of a list that leads to another page: immediately by mouse and with
    /// scripts, otherwise by this button.
    Turn(&'static str, &'static str, &'static str),
    /// Expects a text to be visible, or to become so.
    See(&'static str),
    /// Expects a text not to be visible.
    Miss(&'static str),
    /// Steps with scripts, and steps without.
    Either(&'static [Self], &'static [Self]),
}

/// The records of a site before a journey begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    Nothing,
    /// The records of a small team (`furnish`).
    Team,
    /// A webhook, for which three deliveries wait for an hour.
    Waiting,
    /// A webhook with three deliveries that wait for an hour.
    Many,
    /// 60 deliveries, which wait for an hour.
    Log,
    /// A leaked key.
    Leaked,
    /// A webhook whose deliveries all fail.
    Failing,
}

/// A user's goal and the steps to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Journey {
    pub(super) name: &'static str,
    pub(super) given: Given,
    pub(super) steps: &'static [Step],
}
