//! Statement texts with the name of the store's schema instead of `:schema.`.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

const MARK: &str = ":schema.";
/// The number of texts that are remembered; at this number all are forgotten.
const MOST: usize = 1_024;

/// The texts of statements with the name of one schema, each created once. Nothing depends on the
/// `search_path` of a session.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    prefix: Arc<str>,
    known: Arc<RwLock<HashMap<Box<str>, Arc<str>>>>,
}

impl Texts {
    /// Takes a plain identifier as the schema; in quotes it may also be an SQL keyword.
    pub(crate) fn of(schema: &str) -> Self {
        Self {
            prefix: format!("\"{schema}\".").into(),
            known: Arc::default(),
        }
    }

    /// Returns the statement with the schema in its text.
    pub(crate) fn text(&self, sql: &str) -> Arc<str> {
        self.cached(sql, |sql| self.written(sql))
    }

    /// Returns the result of `write` for a text, computed once.
    pub(crate) fn cached(&self, sql: &str, write: impl FnOnce(&str) -> String) -> Arc<str> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = known.get(sql) {
            return Arc::clone(text);
        }
        drop(known);
        let text: Arc<str> = write(sql).into();
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(sql.into(), Arc::clone(&text));
        text
    }

    /// Returns the same for a text that is used once.
    pub(crate) fn written(&self, sql: &str) -> String {
        sql.replace(MARK, &self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_text_names_its_schema_everywhere() {
        let texts = Texts::of("select");
        let sql = "SELECT nextval(':schema.a'), b::text FROM :schema.c";
        for _ in 0..2 {
            assert_eq!(
                &*texts.text(sql),
                "SELECT nextval('\"select\".a'), b::text FROM \"select\".c"
            );
        }
    }

    #[test]
    fn statement_text_cache_stays_bounded() {
        let texts = Texts::of("s");
        let made: Vec<String> = (0..MOST * 3).map(|n| format!("SELECT {n}")).collect();
        for sql in &made {
            texts.text(sql);
        }
        assert!(texts.known.read().unwrap().len() <= MOST);
    }
}
