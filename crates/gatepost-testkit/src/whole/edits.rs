//! Records that are inserted and edited: each field in turn, and all of them together.

use async_trait::async_trait;

use crate::fields::{Field, Rule, difference};

/// A table of records in a store.
#[async_trait]
pub(super) trait Table: Send + Sync {
    /// A record with its row.
    type Row: Clone + PartialEq + Send + Sync;

    /// The id of the contract test.
    const CONTRACT_TEST: &'static str;

    /// Returns the fields of this row.
    fn fields(&self, base: &Self::Row) -> Vec<Field<Self::Row>>;

    /// Returns a row to insert, which differs from that of any other number.
    fn base(&self, number: i64) -> Self::Row;

    async fn insert(&self, row: &Self::Row) -> Self::Row;

    /// Edits a row at `at(second)`.
    async fn update(&self, row: &Self::Row, second: i64) -> Self::Row;

    /// Makes what was asked for what an insert must return, which is given too: the store chose the
    /// number.
    fn inserted(&self, asked: &mut Self::Row, found: &Self::Row);

    /// Makes what is stored what an edit at `at(second)` must return; its edited fields are those
    /// of the caller already.
    fn edited(&self, stored: &mut Self::Row, second: i64);

    /// Records use of a row, as calls other than edits do; returns the row as it must be read
    /// afterwards.
    async fn used(&self, row: &Self::Row) -> Self::Row;

    /// Returns the row, read in every way, with the name of the way.
    async fn reads(&self, row: &Self::Row) -> Vec<(&'static str, Option<Self::Row>)>;
}

/// Stores records that differ in one field, and edits one field at a time. Returns all rows as they
/// must be.
pub(super) async fn prove<T: Table>(table: &T) -> Vec<T::Row> {
    let fields = table.fields(&table.base(0));
    let mut proof = Proof {
        table,
        rows: Vec::new(),
        second: 100,
    };
    // First, so that the data recorded by other calls are there during the later edits.
    proof.all_at_once().await;
    for field in &fields {
        match field.rule() {
            Rule::Edited => proof.edited(field).await,
            Rule::Kept => proof.kept(field).await,
            Rule::Own => proof.not_taken(field).await,
            Rule::Shown => {}
        }
    }
    let rows = proof.rows;
    same(table, &rows).await;
    rows
}

/// Checks that every row is read as it must be, in every way.
pub(super) async fn same<T: Table>(table: &T, rows: &[T::Row]) {
    for row in rows {
        is_read(table, row, "at the end").await;
    }
}

pub(super) async fn is_read<T: Table>(table: &T, row: &T::Row, when: &str) {
    for (way, found) in table.reads(row).await {
        let id = T::CONTRACT_TEST;
        let found = found.unwrap_or_else(|| panic!("{id} {when}, read {way}: it is not there"));
        is_same(table, row, &found, || format!("{when}, read {way}"));
    }
}

pub(super) fn is_same<T: Table>(
    table: &T,
    expected: &T::Row,
    found: &T::Row,
    when: impl Fn() -> String,
) {
    if expected != found {
        let differs = difference(&table.fields(&table.base(0)), expected, found);
        panic!(
            "{} {}: {}",
            T::CONTRACT_TEST,
            when(),
            differs.unwrap_or_default()
        );
    }
}

struct Proof<'a, T: Table> {
    table: &'a T,
    rows: Vec<T::Row>,
    second: i64,
}

impl<T: Table> Proof<'_, T> {
    /// Checks that inserts store each of its values, and edits set each and restore the first.
    async fn edited(&mut self, field: &Field<T::Row>) {
        let mut row = self.inserted(None).await;
        let first = row.clone();
        for value in field.values() {
            let other = self.inserted(Some((field, value))).await;
            self.rows.push(other);
            row = self.edit(&row, &[(field, value)]).await;
        }
        row = self.edit(&row, &[(field, &first)]).await;
        self.rows.push(row);
    }

    /// Checks that inserts store each of its values, and that edits keep it, whether they pass
    /// another value or change all other fields.
    async fn kept(&mut self, field: &Field<T::Row>) {
        let plain = self.table.base(0);
        for value in field.values() {
            let row = self.inserted(Some((field, value))).await;
            let row = self.edit_all(&row, 0).await;
            let row = self.edit(&row, &[(field, &plain)]).await;
            self.rows.push(row);
        }
        self.not_taken(field).await;
    }

    /// Checks that an edit neither stores the caller's value nor loses the stored one.
    async fn not_taken(&mut self, field: &Field<T::Row>) {
        let mut row = self.inserted(None).await;
        for value in field.values() {
            row = self.edit(&row, &[(field, value)]).await;
        }
        self.rows.push(row);
    }

    /// Checks one edit of all editable fields, in which the caller passes other values of all
    /// others; then the same with a used row.
    async fn all_at_once(&mut self) {
        let row = self.inserted(None).await;
        let row = self.edit_all(&row, 1).await;
        let row = self.table.used(&row).await;
        is_read(self.table, &row, "after it was used").await;
        let row = self.edit_all(&row, 0).await;
        self.rows.push(row);
    }

    async fn edit_all(&mut self, row: &T::Row, value: usize) -> T::Row {
        let fields = self.table.fields(row);
        let all = fields.iter().filter(|field| match value {
            0 => field.rule() == Rule::Edited,
            _ => field.rule() != Rule::Shown,
        });
        let all: Vec<_> = all.map(|field| (field, &field.values()[value])).collect();
        self.edit(row, &all).await
    }

    /// Inserts a new row, with this value of a field.
    async fn inserted(&mut self, with: Option<(&Field<T::Row>, &T::Row)>) -> T::Row {
        self.second += 1;
        let mut row = self.table.base(self.second);
        if let Some((field, value)) = with {
            field.copy(value, &mut row);
        }
        let found = self.table.insert(&row).await;
        self.table.inserted(&mut row, &found);
        let what = with.map_or("a new row", |(field, _)| field.name());
        self.is_as_expected(&row, &found, what, "inserted").await;
        row
    }

    /// Edits a row with these values.
    async fn edit(&mut self, row: &T::Row, with: &[(&Field<T::Row>, &T::Row)]) -> T::Row {
        self.second += 1;
        let (mut asked, mut expected) = (row.clone(), row.clone());
        for (field, value) in with {
            field.copy(value, &mut asked);
            if field.rule() == Rule::Edited {
                field.copy(value, &mut expected);
            }
        }
        self.table.edited(&mut expected, self.second);
        let found = self.table.update(&asked, self.second).await;
        let what = match with {
            [(field, _)] => field.name(),
            _ => "several fields",
        };
        self.is_as_expected(&expected, &found, what, "edited").await;
        expected
    }

    async fn is_as_expected(&self, expected: &T::Row, found: &T::Row, what: &str, done: &str) {
        is_same(self.table, expected, found, || {
            format!("{done}: {what}, returned")
        });
        is_read(self.table, expected, &format!("{done}: {what}")).await;
    }
}
