//! Walks a journey in a form.

use tests::browser::Browser;

use super::form::{Form, Hand};
use super::judge::Judge;
use super::page::{Place, birth, next, sees};
use super::step::Step;

const LINK: &[&str] = &["link"];
const BUTTON: &[&str] = &["button"];
const EITHER: &[&str] = &["button", "link"];
const FOLD: &[&str] = &["DisclosureTriangle"];
const FIELD: &[&str] = &["textbox", "searchbox", "spinbutton"];
const LIST: &[&str] = &["combobox"];

/// A user at a browser.
#[derive(Debug)]
pub(super) struct Walker<'a> {
    pub(super) browser: Browser,
    pub(super) form: Form,
    /// The address of the receiver, for `{target}`.
    pub(super) target: String,
    /// The leaked key, for `{leaked}`.
    pub(super) leaked: String,
    pub(super) judge: &'a mut Judge,
}

impl Walker<'_> {
    /// Takes the steps; fails at the first that cannot be taken, or that leads to a page with
    /// faults.
    pub(super) async fn walk(&mut self, steps: &'static [Step]) -> Result<(), String> {
        for step in steps {
            if let Step::Either(scripted, plain) = step {
                let steps = if self.form.look.scripts {
                    scripted
                } else {
                    plain
                };
                Box::pin(self.walk(steps)).await?;
                continue;
            }
            let taken = self.take(*step).await;
            let at = self.browser.path().await;
            taken.map_err(|why| format!("{step:?} at {at}: {why}"))?;
            if !matches!(step, Step::See(_) | Step::Miss(_) | Step::Fill(..)) {
                let faults = self.judge.look(&self.browser, self.form).await;
                if !faults.is_empty() {
                    return Err(format!("after {step:?}, {at}: {faults:#?}"));
                }
            }
        }
        Ok(())
    }

    async fn take(&self, step: Step) -> Result<(), String> {
        let (b, hand) = (&self.browser, self.form.hand);
        match step {
            Step::Follow(name) => self.turn(LINK, name).await,
            Step::Press(name) => self.turn(BUTTON, name).await,
            Step::Push(name) => {
                let (place, is_button) = self.either(name).await?;
                hand.act(b, place, is_button).await
            }
            Step::Unfold(name) => hand.act(b, self.find(FOLD, name).await?, false).await,
            Step::Fill(name, text) => {
                let place = self.find(FIELD, name).await?;
                let text = text.replace("{target}", &self.target);
                let text = text.replace("{leaked}", &self.leaked);
                hand.fill(b, place, &text).await
            }
            Step::Tick(name) => {
                hand.tick(b, self.find(&["checkbox"], name).await?, false)
                    .await
            }
            Step::Pick(name) => hand.tick(b, self.find(&["radio"], name).await?, true).await,
            Step::Choose(name, text) => hand.choose(b, self.find(LIST, name).await?, text).await,
            Step::Turn(name, text, button) => {
                let before = birth(b).await;
                hand.choose(b, self.find(LIST, name).await?, text).await?;
                if !self.form.look.scripts || hand == Hand::Keyboard {
                    return self.turn(BUTTON, button).await;
                }
                next(b, &before)
                    .await
                    .then_some(())
                    .ok_or_else(|| "the page stays".into())
            }
            Step::See(text) => {
                let is_seen = sees(b, text).await;
                is_seen
                    .then_some(())
                    .ok_or_else(|| "it is not to be seen".into())
            }
            Step::Miss(text) => {
                let text = b.text("main").await.contains(text);
                (!text)
                    .then_some(())
                    .ok_or_else(|| "it is to be seen".into())
            }
            Step::Either(..) => Ok(()),
        }
    }

    async fn find(&self, roles: &[&str], name: &str) -> Result<Place, String> {
        let found = Place::find(&self.browser, roles, name).await;
        found.ok_or_else(|| format!("there is no such {roles:?}"))
    }

    async fn either(&self, name: &str) -> Result<(Place, bool), String> {
        let place = self.find(EITHER, name).await?;
        let tag = place
            .call(&self.browser, "function() { return this.localName; }")
            .await;
        Ok((place, tag == Some("button".into())))
    }

    /// Goes to another page. An element that was replaced in this moment is searched again.
    async fn turn(&self, roles: &[&str], name: &str) -> Result<(), String> {
        let b = &self.browser;
        let before = birth(b).await;
        let mut acted = Ok(());
        for _ in 0..3 {
            let place = self.find(roles, name).await?;
            acted = self.form.hand.act(b, place, roles == BUTTON).await;
            if acted.is_ok() {
                break;
            }
        }
        acted?;
        let is_next = next(b, &before).await;
        is_next
            .then_some(())
            .ok_or_else(|| "it leads to no other page".into())
    }
}
