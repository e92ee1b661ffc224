//! Statements say `:slot(place)` where the number of a place's lock belongs.

const MARK: &str = ":slot(";

/// The statement with its slots as expressions of SQL; all processes of a database must have the
/// same. Every emit shares the lock of the operators, and that of owners who are not placed yet
/// while there are any: each has its own, so that no tenant's changes hold it. The other places
/// have 64 by hash; from 64 to 319 are those of webhooks in order.
pub(crate) fn with_slots(sql: &str) -> String {
    let mut written = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some((before, after)) = rest.split_once(MARK) {
        let (place, behind) = argument(after);
        let slot = format!(
            "(CASE {place} WHEN 'operators' THEN 320 WHEN 'common' THEN 321 ELSE hashtext({place}) & 63 END)"
        );
        written.push_str(before);
        written.push_str(&slot);
        rest = behind;
    }
    written + rest
}

/// Up to the bracket that closes, and what is behind it.
fn argument(text: &str) -> (&str, &str) {
    let mut open = 1_usize;
    let closes = |c| {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        open == 0
    };
    let end = text.find(closes).unwrap_or(text.len());
    (
        text.get(..end).unwrap_or_default(),
        text.get(end + 1..).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_an_expression_of_its_whole_argument() {
        let sql = "SELECT :slot(p), f(:slot(coalesce(q, 'common')))";
        let of = |p: &str| {
            format!(
                "(CASE {p} WHEN 'operators' THEN 320 WHEN 'common' THEN 321 ELSE hashtext({p}) & 63 END)"
            )
        };
        let wanted = format!("SELECT {}, f({})", of("p"), of("coalesce(q, 'common')"));
        assert_eq!(with_slots(sql), wanted);
    }
}
