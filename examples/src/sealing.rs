//! The key that seals the secrets of webhooks: made once, and never silently replaced.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::{WebhookQuery, WebhookStore};
use gatepost_storage::{Page, Scope};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::private;

type Failure = Box<dyn Error + Send + Sync>;

/// The file next to the data that says which key they are sealed under, and its path. It does not
/// hold the key.
const MARK: &str = "sealed-under";

/// The key of this start.
pub struct Sealing {
    key: Zeroizing<[u8; 32]>,
    /// The path of the key's file.
    pub file: PathBuf,
    mark: PathBuf,
    /// Whether nothing says yet that the data are sealed under it.
    first: bool,
    /// Whether it was made now.
    made: bool,
}

impl fmt::Debug for Sealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealing")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Sealing {
    /// Reads the key from a file of 64 hexadecimal digits; makes a new one if nothing was sealed
    /// yet. Notes in `folder` which one seals the data.
    ///
    /// # Errors
    /// If the data are sealed and the key is missing or another one, saying where it was; if a file
    /// cannot be read, understood or written.
    pub fn of(file: PathBuf, folder: &Path) -> Result<Self, Failure> {
        let mark = folder.join(MARK);
        let marked = private::read(&mark)?;
        let found = private::read(&file)?;
        let made = found.is_none();
        let key = match (found, &marked) {
            (Some(text), _) => parse(&file, &text)?,
            (None, Some(mark)) => return Err(gone(&file, mark).into()),
            (None, None) => make(&file)?,
        };
        if let Some(mark) = marked
            .as_ref()
            .filter(|mark| !mark.starts_with(&name(&key)))
        {
            return Err(other(&file, mark).into());
        }
        let first = marked.is_none();
        Ok(Self {
            key,
            file,
            mark,
            first,
            made,
        })
    }

    /// Returns the keys to open a store with.
    #[must_use]
    pub fn keys(&self) -> SealingKeys {
        SealingKeys::new(SealingKey::new(1, *self.key))
    }

    /// Refuses a store that is sealed under another key, and remembers that it is under this one. A
    /// key that the operator brought is right if it opens any webhook: one that it does not open
    /// stops nobody else.
    ///
    /// # Errors
    /// If the store holds values that cannot be read under this key; then a key that was made for
    /// it is removed.
    pub async fn check(&self, store: &dyn WebhookStore) -> Result<(), Failure> {
        if !self.first {
            return Ok(());
        }
        let any = WebhookQuery {
            scope: Scope::All,
            name: None,
            page: Page::first(1),
        };
        let opens_some = !self.made && !store.list_webhooks(&any).await?.is_empty();
        if let Some(record) = store.unreadable(Scope::All, 1).await?.first()
            && !opens_some
        {
            if self.made {
                std::fs::remove_file(&self.file)?;
            }
            let file = self.file.display();
            return Err(format!("the data were sealed under a key that is not in {file} ({}): put the key there, or name its file with --seal-key-file", record.reason).into());
        }
        let file = std::path::absolute(&self.file)?;
        let line = format!("{} {}\n", name(&self.key), file.display());
        Ok(private::write(&self.mark, &line)?)
    }
}

fn make(file: &Path) -> Result<Zeroizing<[u8; 32]>, Failure> {
    let key: Zeroizing<[u8; 32]> = Zeroizing::new(rand::random());
    let text: Zeroizing<String> = Zeroizing::new(hex(&*key));
    private::write(file, &text)?;
    Ok(key)
}

fn parse(file: &Path, text: &str) -> Result<Zeroizing<[u8; 32]>, Failure> {
    let mut key = Zeroizing::new([0; 32]);
    let digits = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    for (byte, pair) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).unwrap_or_default();
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    if !digits {
        return Err(format!("{} must hold 64 hexadecimal digits", file.display()).into());
    }
    Ok(key)
}

/// Returns a name that differs between keys and reveals nothing of them.
fn name(key: &[u8; 32]) -> String {
    // HMAC pads its keys with zeros to the length of a block.
    let mut block = Zeroizing::new([0; 64]);
    block[..32].copy_from_slice(key);
    let mut digest = <Hmac<Sha256> as KeyInit>::new((&*block).into());
    digest.update(b"which sealing key this is");
    let digest: [u8; 32] = digest.finalize().into_bytes().into();
    hex(&digest[..8])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn gone(file: &Path, mark: &str) -> String {
    let (_, was) = mark.split_once(' ').unwrap_or_default();
    let file = file.display();
    format!(
        "the data are sealed and there is no key in {file}; it was in {was}. Put it back, or name its file with --seal-key-file: without it the secrets of all webhooks are lost"
    )
}

fn other(file: &Path, mark: &str) -> String {
    let (_, was) = mark.split_once(' ').unwrap_or_default();
    let file = file.display();
    format!("the data are sealed under another key than the one in {file}; it was in {was}")
}
