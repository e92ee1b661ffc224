//! Pictures of every page of the console, for people to look at: three widths, light and dark.
//!
//! `cargo run -p tests --bin pictures -- FOLDER [WORD]`. `FOLDER/front` holds those of the
//! project's README: the result of pasting the lines that the example platform prints. With `WORD`,
//! only the pages whose name contains it are taken.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for developers, which ends where something is not as it must be"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use examples::receiver::Receiver;
use tests::browser::{Browser, Look, PAGES, PASSWORD, Site, furnish};
use tests::platform::PlatformProcess;

/// A phone, a tablet, a desk.
const WIDTHS: [u32; 3] = [390, 768, 1440];
/// The size of the README's pictures, in pixels.
const FRONT: (u32, u32) = (1000, 690);

#[tokio::main]
async fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let (Some(folder), word, None) = (args.next(), args.next(), args.next()) else {
        eprintln!("usage: pictures FOLDER [WORD]");
        return ExitCode::from(2);
    };
    let folder = PathBuf::from(folder);
    let word = word.map(|word| word.into_string().unwrap());
    for width in WIDTHS {
        for dark in [false, true] {
            let look = Look {
                width,
                dark,
                ..Look::default()
            };
            let folder = folder.join(format!("{width}-{}", if dark { "dark" } else { "light" }));
            every_page(look, &folder, word.as_deref()).await;
        }
    }
    if word.is_none() {
        front(&folder.join("front")).await;
    }
    ExitCode::SUCCESS
}

async fn every_page(look: Look, folder: &Path, word: Option<&str>) {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    let browser = Browser::open(&site.url(""), look).await;
    let take = async |name: &str| {
        browser.picture(&folder.join(format!("{name}.png"))).await;
    };
    browser.goto("/console/").await;
    take("login").await;
    browser.login("admin").await;
    for &(path, name) in PAGES {
        if word.is_none_or(|word| name.contains(word)) {
            browser.goto(path).await;
            take(name).await;
        }
    }
    if word.is_some() {
        return browser.close().await;
    }
    // A form with errors, the response to a test, and the popup.
    browser.goto("/console/webhooks/new").await;
    browser.fill("#timeout", "1").await;
    browser.click("form.main .submit .primary").await;
    browser.see(".note.bad").await;
    take("webhook-errors").await;
    browser.goto("/console/webhooks/1/test").await;
    browser.click("section form .primary").await;
    browser.until("main", "The test was queued.").await;
    take("webhook-test").await;
    browser.goto("/console/keys/new").await;
    browser.fill("#name", "deploy").await;
    browser.click("form.main .submit .primary").await;
    browser.see("dialog #secret").await;
    let popup = folder.join("key-popup.png");
    browser.picture_of_the_top(&popup, look.width, 900).await;
    browser.close().await;
    println!("{}", folder.display());
}

/// The first minute, and what the console shows of it.
async fn front(folder: &Path) {
    let mut host = Command::new(env!("CARGO"));
    host.args([
        "run", "-q", "--locked", "-p", "tests", "--bin", "host", "--",
    ]);
    host.args(["--data", "memory", "--admin-password", PASSWORD]);
    let platform = PlatformProcess::launch(&mut host, Stdio::null());
    let pasted = PlatformProcess::paste(&platform.to_paste(), PASSWORD);
    assert!(
        pasted.iter().any(|line| line.contains("web-1")),
        "{pasted:?}"
    );
    for (path, dark) in [
        ("/console/deliveries/1", false),
        ("/console/webhooks/1", true),
    ] {
        let (width, height) = FRONT;
        let look = Look {
            width,
            dark,
            ..Look::default()
        };
        let browser = Browser::open(&platform.base, look).await;
        browser.login("admin").await;
        browser.goto(path).await;
        let name = if dark { "webhook.png" } else { "delivery.png" };
        let file = folder.join(name);
        browser.picture_of_the_top(&file, width, height).await;
        browser.close().await;
        println!("{}", file.display());
    }
    platform.stop();
}
