//! How much of each limit the caller has used.

use std::borrow::Cow;

use maud::{Markup, html};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::badge;
use crate::texts::Texts;

/// From this share on, in percent, a limit is pointed out.
const NEARLY: u128 = 90;
/// The texts of 1,024 bytes, of 1,024 of these, and so on.
const UNITS: [&str; 4] = [
    "home-limits-kib",
    "home-limits-mib",
    "home-limits-gib",
    "home-limits-tib",
];

/// The section of the first page.
pub(crate) async fn section(ctx: &PageContext) -> Result<Markup, Failure> {
    let limits = ctx.actor.limits(ctx.principal().owner).await?;
    let t = ctx.texts();
    Ok(html! {
        section {
            h2 { (t.of("home-limits-title")) }
            dl { @for limit in &limits {
                @let (label, is_bytes) = shown(t, limit.name);
                dt { (label) }
                dd { (of_limit(t, limit.used, limit.most, is_bytes)) (warning(t, limit.used, limit.most)) }
            } }
        }
    })
}

/// What a limit is called here, and whether it counts bytes.
fn shown<'a>(t: &'a Texts, name: &'a str) -> (Cow<'a, str>, bool) {
    let (text, is_bytes) = match name {
        "keys" => ("home-limits-keys", false),
        "webhooks" => ("home-limits-webhooks", false),
        "tasks" => ("home-limits-tasks", false),
        "events" => ("home-limits-events", false),
        "record_bytes" => ("home-limits-record-bytes", true),
        "waiting" => ("home-limits-waiting", false),
        "waiting_bytes" => ("home-limits-waiting-bytes", true),
        "log_bytes" => ("home-limits-log-bytes", true),
        "runs_per_minute" => ("home-limits-runs", false),
        "key_changes_per_minute" => ("home-limits-key-changes", false),
        other => return (other.into(), false),
    };
    (t.of(text), is_bytes)
}

/// `3 of 500`
fn of_limit(t: &Texts, used: u64, most: u64, is_bytes: bool) -> String {
    let used = ("used", amount(t, used, is_bytes).into());
    if most == u64::MAX {
        return t.with("home-limits-unlimited", &[used]);
    }
    let most = ("most", amount(t, most, is_bytes).into());
    t.with("home-limits-used", &[used, most])
}

fn warning(t: &Texts, used: u64, most: u64) -> Markup {
    html! {
        @if used >= most { " " (badge("bad", &t.of("home-limits-full"))) }
        @else if is_nearly(used, most) { " " (badge("warn", &t.of("home-limits-nearly-full"))) }
    }
}

fn is_nearly(used: u64, most: u64) -> bool {
    u128::from(used) * 100 >= u128::from(most) * NEARLY
}

fn amount(t: &Texts, number: u64, is_bytes: bool) -> String {
    if !is_bytes {
        return t.number(number);
    }
    if number < 1024 {
        return t.with("home-limits-bytes", &[("count", number.into())]);
    }
    let mut scaled = number as f64 / 1024.0;
    let mut units = UNITS.into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if scaled < 1024.0 {
            break;
        }
        (scaled, unit) = (scaled / 1024.0, next);
    }
    let digits = usize::from(scaled < 10.0 && scaled.fract() > 0.0);
    t.with(unit, &[("size", t.decimal(scaled, digits).into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_the_unit_that_fits() {
        let sizes = [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1,023 bytes"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (64 << 20, "64 MiB"),
            (1 << 30, "1 GiB"),
            (5 << 40, "5 TiB"),
        ];
        let t = Texts::english();
        for (bytes, text) in sizes {
            assert_eq!(amount(&t, bytes, true), text);
        }
        assert_eq!(amount(&t, 64 << 20, false), "67,108,864");
    }

    #[test]
    fn a_limit_is_pointed_out_before_it_is_reached() {
        let t = Texts::english();
        let word = |used, most| warning(&t, used, most).into_string();
        assert_eq!(word(449, 500), "");
        assert!(word(450, 500).contains("nearly full"));
        assert!(word(500, 500).contains("badge bad"));
        assert_eq!(word(10, u64::MAX), "");
    }
}
