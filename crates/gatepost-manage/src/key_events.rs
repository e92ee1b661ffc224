//! Forwards notices about keys to the engine, as occurrences that events match.

use std::pin::Pin;

use chrono::SecondsFormat;
use gatepost_engine::{Engine, OperationalEvents};
use gatepost_keys::{KeyNotice, KeyNoticeKind, KeyObserver, NotForwarded};
use webhook_model::{Audience, Invalid, Object, Occurrence};

/// The type of these occurrences, as the engine offers it.
const API_KEYS: &str = "api_keys";

/// An observer of the key service: each notice becomes an occurrence of the type `api_keys` for the
/// owner of the key. Pass it to the key service's builder, with an engine that has
/// [`OperationalEvents::keys`]; otherwise it forwards nothing.
///
/// A notice is stored before a call returns, and fanned out a moment later. The same expiration
/// step, and the same hour of refusals, are forwarded once, by whichever process. For that, the
/// engine must remember occurrences for more than a day
/// ([`Retention::occurrences`](gatepost_engine::Retention::occurrences); 7 days by default).
#[derive(Debug)]
pub struct KeyEvents {
    engine: Engine,
}

impl KeyEvents {
    /// Creates an observer for this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self { engine }
    }

    async fn pass_on(&self, notice: &KeyNotice) -> Result<(), NotForwarded> {
        let OperationalEvents { keys: true, .. } = self.engine.operational_events() else {
            return Ok(());
        };
        let occurrence = occurrence(notice).map_err(|error| NotForwarded(error.to_string()))?;
        let Some(occurrence) = occurrence else {
            return Ok(());
        };
        let stored = self.engine.emit_later(&occurrence).await;
        stored.map_err(|error| NotForwarded(error.to_string()))
    }
}

impl KeyObserver for KeyEvents {
    fn notice<'a>(
        &'a self,
        notice: KeyNotice,
    ) -> Pin<Box<dyn Future<Output = Result<(), NotForwarded>> + Send + 'a>> {
        Box::pin(async move { self.pass_on(&notice).await })
    }
}

/// Returns `None` for a notice without an event.
fn occurrence(notice: &KeyNotice) -> Result<Option<Occurrence>, Invalid> {
    let (event, once, said) = match notice.kind {
        KeyNoticeKind::Created => ("created", String::new(), Vec::new()),
        KeyNoticeKind::Deleted => ("deleted", String::new(), Vec::new()),
        KeyNoticeKind::Expiring { expires, days } => {
            let at = expires.to_rfc3339_opts(SecondsFormat::Secs, true);
            let once = format!(":{}:{days}", expires.timestamp_micros());
            let said = vec![("EXPIRES", at), ("DAYS", days.to_string())];
            ("expiring", once, said)
        }
        KeyNoticeKind::Leaked { hour } => ("leaked", format!(":{}", hour.timestamp()), Vec::new()),
        KeyNoticeKind::RefusedAddress { from, count, hour } => {
            let said = vec![("ADDRESS", from.to_string()), ("COUNT", count.to_string())];
            ("refused_address", format!(":{}", hour.timestamp()), said)
        }
        _ => return Ok(None),
    };
    let key = [
        ("KEY", notice.key.0.to_string()),
        ("MASKED", notice.masked.to_string()),
    ];
    let said = key.into_iter().chain(said);
    let id = format!("gatepost:{API_KEYS}.{event}:{}{once}", notice.key.0);
    Ok(Some(
        Occurrence::new(
            API_KEYS.parse()?,
            event.parse()?,
            Audience::Owner(notice.owner),
        )
        .with_id(id.parse()?)
        .with_object(Object::new(notice.key.into(), notice.name.to_string()))
        .with_variables(said.map(|(name, value)| (name.to_owned(), value)).collect()),
    ))
}
