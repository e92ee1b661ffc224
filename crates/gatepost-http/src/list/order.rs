//! The detection of lists that are read in their sort order.

use gatepost_storage::Order;

use crate::query::sort::Sort;
use crate::schema::{KEY, Table};

/// Returns the read direction, if reading by row number, or by a column that rises with it, gives
/// the requested order. Otherwise all rows are read and sorted.
pub(super) fn as_read(table: &Table, sort: &Sort) -> Option<Order> {
    let rises = |name: &str| table.readable(name).is_some_and(|column| column.rises);
    let first = sort.0.first();
    let is_as_read = match &sort.0[..] {
        [] => true,
        // Row numbers are unique: later sort columns have no effect.
        [first, ..] if first.column == KEY => true,
        [first, second, ..] => {
            rises(&first.column) && second.column == KEY && second.descending == first.descending
        }
        [_] => false,
    };
    is_as_read.then_some(match first {
        Some(by) if by.descending => Order::Descending,
        _ => Order::Ascending,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform_table::PlatformTable;
    use crate::schema::Column;

    static COLUMNS: [Column; 3] = [
        Column::time("created", "1", "When it was made.").rising(),
        Column::time("modified", "1", "When it was changed."),
        Column::text("name", "\"a\"", "What it is called."),
    ];

    fn read(columns: &'static [Column], sort: &str) -> Option<Order> {
        let PlatformTable(table) = PlatformTable::new("rows", "row", "Rows.", columns, &[]);
        let mut sort = Sort::parse(sort).unwrap();
        sort.settle();
        as_read(&table, &sort)
    }

    #[test]
    fn store_order_serves_only_key_and_created_sorts() {
        let (up, down) = (Some(Order::Ascending), Some(Order::Descending));
        for (sort, order) in [
            ("", up),
            ("$key", up),
            ("-$key", down),
            ("-$key,name", down),
            ("created", up),
            ("-created", down),
            ("-created,-$key", down),
            ("created,$key,name", up),
            ("-created,$key", None),
            ("created,name", None),
            ("-created,name,-$key", None),
            ("modified", None),
            ("name,$key", None),
        ] {
            assert_eq!(read(&COLUMNS, sort), order, "{sort}");
        }
    }

    /// Tables in which a row may be older than those before it, such as imported keys.
    #[test]
    fn created_is_sorted_where_it_does_not_rise() {
        static IMPORTED: [Column; 1] = [Column::time("created", "1", "When it was made.")];
        for sort in ["created", "-created", "-created,-$key"] {
            assert_eq!(read(&IMPORTED, sort), None, "{sort}");
        }
    }
}
