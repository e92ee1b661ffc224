//! How much of each limit the caller has used.

use maud::{Markup, html};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::badge;

/// From this share on, in percent, a limit is pointed out.
const NEARLY: u128 = 90;
const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

/// The section of the first page.
pub(crate) async fn section(ctx: &PageContext) -> Result<Markup, Failure> {
    let limits = ctx.actor.limits(ctx.principal().owner).await?;
    Ok(html! {
        section {
            h2 { "Limits" }
            dl { @for limit in &limits {
                @let (label, is_bytes) = shown(limit.name);
                dt { (label) }
                dd {
                    (amount(limit.used, is_bytes))
                    @if limit.most == u64::MAX { ", without a limit" } @else { " of " (amount(limit.most, is_bytes)) }
                    (warning(limit.used, limit.most))
                }
            } }
        }
    })
}

/// What a limit is called here, and whether it counts bytes.
fn shown(name: &str) -> (&str, bool) {
    match name {
        "keys" => ("API keys", false),
        "webhooks" => ("Webhooks", false),
        "tasks" => ("Tasks", false),
        "events" => ("Events", false),
        "record_bytes" => ("Size of these records", true),
        "waiting" => ("Deliveries waiting", false),
        "waiting_bytes" => ("Size of their messages", true),
        "log_bytes" => ("Size of the delivery log", true),
        "runs_per_minute" => ("Sent or run manually in the last minute", false),
        "key_changes_per_minute" => ("Changes of API keys in the last minute", false),
        other => (other, false),
    }
}

fn warning(used: u64, most: u64) -> Markup {
    html! {
        @if used >= most { " " (badge("bad", "full")) }
        @else if is_nearly(used, most) { " " (badge("warn", "nearly full")) }
    }
}

fn is_nearly(used: u64, most: u64) -> bool {
    u128::from(used) * 100 >= u128::from(most) * NEARLY
}

fn amount(number: u64, is_bytes: bool) -> String {
    if !is_bytes || number < 1024 {
        return if is_bytes {
            format!("{number} bytes")
        } else {
            number.to_string()
        };
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
    format!("{scaled:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_the_unit_that_fits() {
        let sizes = [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (64 << 20, "64 MiB"),
            (1 << 30, "1 GiB"),
            (5 << 40, "5 TiB"),
        ];
        for (bytes, text) in sizes {
            assert_eq!(amount(bytes, true), text);
        }
        assert_eq!(amount(64 << 20, false), "67108864");
    }

    #[test]
    fn a_limit_is_pointed_out_before_it_is_reached() {
        let word = |used, most| warning(used, most).into_string();
        assert_eq!(word(449, 500), "");
        assert!(word(450, 500).contains("nearly full"));
        assert!(word(500, 500).contains("badge bad"));
        assert_eq!(word(10, u64::MAX), "");
    }
}
