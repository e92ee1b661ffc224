//! Where everything is kept, and the key that seals secrets there.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{KeyStore, MemoryStore};

use crate::Failure;
use crate::options::Options;

/// Opens what `--data` names.
pub(crate) async fn open(
    options: &Options,
) -> Result<(Arc<dyn KeyStore>, Arc<dyn WebhookStore>), Failure> {
    if options.data == "memory" {
        let store = Arc::new(MemoryStore::new());
        return Ok((store.clone(), store));
    }
    let sealing = match &options.seal_key {
        Some(file) => SealingKeys::new(seal_key(file)?),
        None => SealingKeys::none(),
    };
    if options.postgres() {
        let config = PostgresConfig::url(&options.data).with_sealing(sealing);
        let store = Arc::new(PostgresStore::connect(config).await?);
        return Ok((store.clone(), store));
    }
    std::fs::create_dir_all(&options.data)?;
    let file = Path::new(&options.data).join("gatepost.db");
    let store = Arc::new(SqliteStore::open(SqliteConfig::file(file).with_sealing(sealing)).await?);
    Ok((store.clone(), store))
}

/// The key in a file of 64 hexadecimal digits; a new one if there is no such file, for its owner's
/// eyes only.
fn seal_key(file: &Path) -> Result<SealingKey, Failure> {
    let text = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let made: [u8; 32] = rand::random();
            let text: String = made.iter().map(|byte| format!("{byte:02x}")).collect();
            let mut options = std::fs::OpenOptions::new();
            let mut new = options
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(file)?;
            new.write_all(text.as_bytes())?;
            new.sync_all()?;
            text
        }
        read => read.map_err(|error| format!("{}: {error}", file.display()))?,
    };
    let text = text.trim();
    let mut key = [0; 32];
    let digits = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    for (byte, pair) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).unwrap_or_default();
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    if !digits {
        return Err(format!("{} must hold 64 hexadecimal digits", file.display()).into());
    }
    Ok(SealingKey::new(1, key))
}
