//! What a user does and sees, in the words of the page.

/// A key or a secret that is shown once: copied, and then closed.
pub(super) const KEEP: Step = Step::Either(
    &[Step::Push("Copy"), Step::See("Copied."), Step::Push("Done")],
    &[Step::Tick("I have copied or saved it"), Step::Press("Done")],
);

/// One step. Names are what a screen reader says: of links and buttons their text, of fields their
/// label.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A link that leads to another page.
    Follow(&'static str),
    /// A button that leads to another page.
    Press(&'static str),
    /// A button, or a link, that changes the page it is on.
    Push(&'static str),
    /// What is folded away.
    Unfold(&'static str),
    /// A field takes the place of what it held; `{target}` is where the receiver listens,
    /// `{leaked}` the key of [`Given::Leaked`].
    Fill(&'static str, &'static str),
    /// A checkbox.
    Tick(&'static str),
    /// One of several radio buttons.
    Pick(&'static str),
    /// One of a list.
    Choose(&'static str, &'static str),
    /// One of a list whose choice leads to another page: at once by mouse and with scripts, else by
    /// this button.
    Turn(&'static str, &'static str, &'static str),
    /// A text that is to be seen, at once or soon.
    See(&'static str),
    /// A text that is not.
    Miss(&'static str),
    /// Steps with scripts, and steps without.
    Either(&'static [Self], &'static [Self]),
}

/// What a site has before a journey begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    Nothing,
    /// What a small team would have (`furnish`).
    Team,
    /// A webhook, for which three deliveries wait for an hour.
    Waiting,
    /// 60 keys.
    Many,
    /// 60 deliveries, which wait for an hour.
    Log,
    /// A key that got out.
    Leaked,
    /// A webhook of which nothing succeeds.
    Failing,
}

/// A user with a purpose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Journey {
    pub(super) name: &'static str,
    pub(super) given: Given,
    pub(super) steps: &'static [Step],
}
