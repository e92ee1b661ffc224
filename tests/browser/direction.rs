//! A language that is written from right to left: every page is mirrored, fits its window, has no
//! overlapping parts, and leaves code, addresses and times unchanged.

use examples::receiver::Receiver;
use gatepost_console::Texts;
use serde_json::{Value, json};
use tests::browser::{BEYOND, Browser, Look, OVERLAPS, PAGES, Setup, furnish};

/// A partial translation by a platform.
const ARABIC: &str = "frame-log-out = تسجيل الخروج\nframe-go-to = انتقل إلى { $section }";
/// The language of the page.
const SPOKEN: &str = "const { lang, dir } = document.documentElement; return lang + ' ' + dir";
/// The parts that are not mirrored, or that must not be and are.
const WRONG: &str = "
const found = [];
const rects = selector => [...document.querySelectorAll(selector)].filter(part => part.checkVisibility()).map(part => part.getBoundingClientRect());
// The first is to the right of the second.
const mirrored = (what, [first, second]) => { if (first && second && first.top < second.bottom && second.top < first.bottom && first.left < second.left) found.push(what); };
mirrored('navigation', rects('.top nav li'));
mirrored('title and buttons', rects('main > .head > *'));
mirrored('buttons of a form', rects('form.main > .submit > :not(.unseen)'));
mirrored('columns', rects('thead th'));
mirrored('facts', rects('dl:not(.figures) > *'));
for (const part of document.querySelectorAll('code, pre, .mono, time:not(.away), textarea.code, input.code, #url, figure.plot')) {
  if (getComputedStyle(part).direction !== 'ltr') found.push(part.outerHTML.slice(0, 90));
}
if (document.body.getBoundingClientRect().left !== 0) found.push('the page is moved');
// The content of a cell or next to a fact begins with its text; on a phone, the name of the column
// comes before it.
for (const part of document.querySelectorAll('td > a, td > span, dd > .mono, dd > a, dd > code')) {
  const [own, around] = [part.getBoundingClientRect(), part.parentElement.getBoundingClientRect()];
  const before = getComputedStyle(part.parentElement).display === 'grid' ? 128 : 0;
  const isFirst = part === part.parentElement.firstElementChild;
  if (own.width && isFirst && around.right - own.right > before + 20) found.push(`begins at the left: ${part.outerHTML.slice(0, 90)}`);
}
// The first element of a line begins at the right.
for (const part of document.querySelectorAll('h1, h2, label, .hint, td, th, dt')) {
  const style = getComputedStyle(part);
  if (style.direction !== 'rtl' || !['start', 'right', 'center'].includes(style.textAlign)) found.push(`${style.textAlign} ${part.outerHTML.slice(0, 90)}`);
}
for (const part of document.querySelectorAll('.note, th:first-child')) {
  const { borderLeftWidth, borderRightWidth, paddingLeft, paddingRight } = getComputedStyle(part);
  if (parseFloat(borderLeftWidth) + parseFloat(paddingLeft) > parseFloat(borderRightWidth) + parseFloat(paddingRight)) found.push(part.outerHTML.slice(0, 90));
}
return found.slice(0, 4);";

async fn every_page(width: u32) {
    let setup = Setup {
        texts: Texts::read("ar", ARABIC).unwrap(),
        ..Setup::new()
    };
    let site = setup.start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    let look = Look {
        width,
        ..Look::default()
    };
    Browser::run(&site, look, async move |b: Browser| {
        b.login("admin").await;
        let mut faults = Vec::new();
        for &(path, name) in PAGES {
            b.goto(path).await;
            assert_eq!(b.script(SPOKEN).await, json!("ar rtl"), "{path}");
            b.script("document.querySelectorAll('details').forEach(part => { part.open = true; })")
                .await;
            let looked = [
                (
                    "beyond the edge",
                    b.script(&format!("return {BEYOND}")).await,
                    Value::Null,
                ),
                (
                    "overlap",
                    b.script(&format!("return {OVERLAPS}")).await,
                    json!([]),
                ),
                ("not mirrored", b.script(WRONG).await, json!([])),
            ];
            let wrong = looked.into_iter().filter(|(_, found, good)| found != good);
            faults.extend(wrong.map(|(what, found, _)| format!("{name}: {what}: {found}")));
        }
        assert!(faults.is_empty(), "at {width}: {faults:#?}");
        // Control: a rule that names a side is found.
        b.goto("/console/keys").await;
        b.script("document.querySelector('td').style.textAlign = 'left'")
            .await;
        assert_ne!(b.script(WRONG).await, json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_right_to_left_on_a_phone() {
    every_page(390).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_right_to_left_at_a_desk() {
    every_page(1440).await;
}
