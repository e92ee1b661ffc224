//! The journeys of users, from the first page to the end, in every form: three widths, light and
//! dark, with and without scripts, only by mouse and only by keyboard.
//!
//! Every page on the way is no wider than its window, weighs at most 60 KiB with everything that it
//! loads, has no overlapping parts and, with scripts, no fault that axe-core finds. With the
//! keyboard, the focus is visible at each stop.
//!
//! Each journey is walked in three of six forms, which together contain every property at least
//! once. With `GATEPOST_JOURNEY=webhook` only journeys whose names contain this word are walked, in
//! all six; `:` is in all names. With `GATEPOST_FORMS=all` every journey is walked in all 24
//! possible forms, and with `GATEPOST_FORMS='390 keys'` in those that have these words.

mod deliveries;
mod form;
mod given;
mod hand;
mod judge;
mod keys;
mod lists;
mod page;
mod step;
mod tasks;
mod walk;
mod webhooks;

use form::{FORMS, Form, HALVES, every_form};
use given::{Begun, begin};
use judge::Judge;
use serde_json::json;
use step::{Given, Journey};
use tests::browser::{Browser, Look, OVERLAPS, Site, Visitor};
use walk::Walker;

/// Returns the word that selects journeys, if it is set.
fn word() -> Option<String> {
    std::env::var("GATEPOST_JOURNEY").ok()
}

/// Returns the six forms, or those of all 24 that have every word of `GATEPOST_FORMS`, if it is
/// set.
fn forms() -> Vec<Form> {
    let Ok(words) = std::env::var("GATEPOST_FORMS") else {
        return FORMS.into();
    };
    let has_all = |form: &Form| {
        let form = form.to_string();
        let mut words = words.split_whitespace().filter(|word| *word != "all");
        words.all(|word| form.split(' ').any(|own| own == word))
    };
    every_form().into_iter().filter(has_all).collect()
}

/// Whether all journeys are walked in all selected forms.
fn is_whole() -> bool {
    word().is_some() || std::env::var_os("GATEPOST_FORMS").is_some()
}

/// Returns all journeys, or the selected ones.
fn journeys() -> Vec<Journey> {
    let word = word().unwrap_or_default();
    let all = [
        keys::JOURNEYS,
        webhooks::JOURNEYS,
        tasks::JOURNEYS,
        deliveries::JOURNEYS,
        lists::JOURNEYS,
    ];
    let all = all.into_iter().flatten().copied();
    all.filter(|journey| journey.name.contains(&word)).collect()
}

/// Walks one journey in one form, on its own site.
async fn walk(b: &Browser, journey: Journey, form: Form, judge: &mut Judge) -> Result<(), String> {
    let Begun {
        site,
        receiver,
        leaked,
    } = begin(journey.given).await;
    let browser = b.visit(&site, form.look).await;
    // `way` tests the login.
    let visitor = Visitor::login(&site, "admin").await;
    let (name, value) = visitor.cookie.split_once('=').unwrap_or_default();
    let cookie = json!({"name": name, "value": value, "url": site.url("/")});
    b.devtools("Network.setCookie", cookie).await;
    browser.goto("/console/").await;
    let target = format!("http://{}", receiver.addr);
    let mut walker = Walker {
        browser,
        form,
        target,
        leaked,
        judge,
    };
    walker.walk(journey.steps).await?;
    match b.complaints().await {
        complaints if complaints.is_empty() => Ok(()),
        complaints => Err(format!("the browser complains: {complaints:#?}")),
    }
}

/// Returns a table of the walked journeys, with a line for each.
fn table(forms: &[Form], lines: &[(Journey, Vec<&str>)]) -> String {
    let mut text = String::new();
    for (at, form) in forms.iter().enumerate() {
        text += &format!("{}: {form}\n", at + 1);
    }
    for (journey, walked) in lines {
        text += &format!("{:<50} {}\n", journey.name, walked.join("  "));
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn every_journey_can_be_walked_in_every_form() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        let permissions = json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]});
        b.devtools("Browser.grantPermissions", permissions).await;
        let focused = json!({"enabled": true});
        b.devtools("Emulation.setFocusEmulationEnabled", focused)
            .await;
        let mut lines: Vec<_> = journeys()
            .into_iter()
            .map(|one| (one, Vec::new()))
            .collect();
        let mut faults = Vec::new();
        let forms = forms();
        assert!(!forms.is_empty(), "no form has these words");
        for (of_form, form) in forms.iter().copied().enumerate() {
            let mut judge = Judge::default();
            for (at, (journey, walked)) in lines.iter_mut().enumerate() {
                if !is_whole() && !HALVES[at % 2].contains(&of_form) {
                    walked.push("  ");
                    continue;
                }
                let outcome = walk(&b, *journey, form, &mut judge).await;
                walked.push(if outcome.is_ok() { "ok" } else { "--" });
                if let Err(why) = outcome {
                    faults.push(format!("{} ({form}): {why}", journey.name));
                }
            }
            println!(
                "{form}: {} pages, the heaviest {} bytes",
                judge.pages, judge.heaviest
            );
        }
        println!("{}", table(&forms, &lines));
        assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_upon_each_other_are_found() {
    let Begun { site, .. } = begin(Given::Team).await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("admin").await;
        b.goto("/console/keys").await;
        assert_eq!(page::ask(&b, OVERLAPS).await, Some(json!([])));
        b.script("document.querySelector('h1').style.marginTop = '-2rem'")
            .await;
        b.script("document.querySelector('.head .button').style.translate = '-80vw 0'")
            .await;
        assert_ne!(page::ask(&b, OVERLAPS).await, Some(json!([])));
    })
    .await;
}
