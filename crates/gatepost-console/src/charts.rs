//! Bar charts over a range of time, with their axes, legends and texts for screen readers.

use maud::{Markup, html};

use crate::texts::Texts;

/// The width of a bar, of 20.
const BAR: usize = 14;

/// The texts around a chart: within it they would be stretched.
pub(crate) struct Frame<'a> {
    pub title: &'a str,
    /// The text for screen readers that replaces the chart.
    pub said: &'a str,
    /// The labels at the top and at the middle of the vertical axis.
    pub top: [String; 2],
    /// The labels of the four quarters and of the end of the horizontal axis.
    pub times: [Markup; 5],
}

/// Renders a chart with `count` positions, some of which have bars.
pub(crate) fn plot(
    frame: &Frame<'_>,
    count: usize,
    bars: impl Iterator<Item = (usize, Markup)>,
) -> Markup {
    let [top, middle] = &frame.top;
    html! {
        figure.plot {
            figcaption { (frame.title) }
            div.y aria-hidden="true" { span { (top) } span { (middle) } span { "0" } }
            svg.chart viewBox={ "0 0 " (count * 20) " 100" } preserveAspectRatio="none" role="img" aria-label=(frame.said) {
                @for y in ["0.5", "50", "99.5"] { line.axis x1="0" x2=(count * 20) y1=(y) y2=(y) {} }
                @for (at, bars) in bars { svg x=(at * 20 + 3) width=(BAR) height="100" { (bars) } }
            }
            div.x aria-hidden="true" { @for time in &frame.times { span { (time) } } }
        }
    }
}

/// Renders successes with failures stacked on top.
pub(crate) fn stacked(good: u64, bad: u64, top: u64) -> Markup {
    let good = height(good, top);
    let bad = height(bad, top).min(100 - good);
    html! { (bar("sent", 100 - good, good)) (bar("failed", 100 - good - bad, bad)) }
}

/// Renders a bar of this class, unless its height is 0.
pub(crate) fn bar(class: &str, y: u64, height: u64) -> Markup {
    html! { @if height > 0 { rect class=(class) width=(BAR) y=(y) height=(height) {} } }
}

/// Renders the legend of [`stacked`], by the names of the texts of its two colours.
pub(crate) fn legend(t: &Texts, names: [&str; 2]) -> Markup {
    html! {
        ul.legend { @for (class, name) in ["sent", "failed"].into_iter().zip(names) {
            li { svg viewBox="0 0 12 12" aria-hidden="true" { rect class=(class) width="12" height="12" {} } (t.of(name)) }
        } }
    }
}

/// Renders numbers in large type, each with the name of its text and the address of its details.
pub(crate) fn figures(
    t: &Texts,
    all: impl IntoIterator<Item = (&'static str, String, Option<String>)>,
) -> Markup {
    html! {
        dl.figures { @for (name, text, to) in all { div {
            dd { (text) }
            dt { @if let Some(to) = to { a href=(to) { (t.of(name)) } } @else { (t.of(name)) } }
        } } }
    }
}

/// Renders links to the same page with another range.
pub(crate) fn ranges(label: &str, links: impl Iterator<Item = (String, String, bool)>) -> Markup {
    html! {
        nav.ranges aria-label=(label) { @for (to, text, is_shown) in links {
            a href=(to) aria-current=[is_shown.then_some("true")] { (text) }
        } }
    }
}

/// Returns the height of a bar in percent; any value above 0 is visible.
pub(crate) fn height(value: u64, top: u64) -> u64 {
    let scaled = u128::from(value) * 100 / u128::from(top.max(1));
    let scaled = u64::try_from(scaled).unwrap_or(100);
    if value == 0 { 0 } else { scaled.clamp(1, 100) }
}

/// Returns the round number at the top of an axis: 2, 4, 10, 20, 40, 100, …: half of it is round,
/// too.
pub(crate) fn top(most: u64) -> u64 {
    let mut unit = 1_u64;
    loop {
        for step in [2, 4, 10] {
            let round = unit.saturating_mul(step);
            if round >= most || round == u64::MAX {
                return round;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_with_a_round_number() {
        let ends = [0, 1, 2, 3, 5, 11, 21, 41, 5_600].map(top);
        assert_eq!(ends, [2, 2, 2, 4, 10, 20, 40, 100, 10_000]);
        assert_eq!(top(u64::MAX), u64::MAX);
    }

    #[test]
    fn nonzero_chart_bar_is_visible_and_fits() {
        assert_eq!(height(0, 10), 0);
        assert_eq!(height(1, 1_000_000), 1);
        assert_eq!(height(u64::MAX, u64::MAX), 100);
    }
}
