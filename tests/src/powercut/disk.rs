//! The disk after a cut.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use rand::{Rng, RngExt};

use super::trace::Op;

/// Disks write sectors of this size as a whole.
const SECTOR: usize = 512;

/// The remaining files, and the promises made before the cut.
#[derive(Debug, Default)]
pub struct Disk {
    /// The content of each file.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The texts of all acknowledgements given before the cut.
    pub acks: Vec<String>,
}

/// Returns the disk after a power cut just before operation `at`.
pub fn cut(ops: &[Op], at: usize, random: &mut impl Rng) -> Disk {
    let mut disk = Disk::default();
    // Written but not synced data, by file, with the number of the operation.
    let mut pending: HashMap<&str, Vec<(usize, &Op)>> = HashMap::new();
    for (number, op) in ops.iter().enumerate().take(at) {
        match op {
            Op::Ack(text) => disk.acks.push(text.clone()),
            Op::Write { file, .. } | Op::Truncate { file, .. } => {
                pending.entry(file).or_default().push((number, op));
            }
            Op::Sync { file, upto } => {
                let waiting = pending.remove(file.as_str()).unwrap_or_default();
                let (covered, later): (Vec<_>, Vec<_>) =
                    waiting.into_iter().partition(|(n, _)| n < upto);
                covered
                    .iter()
                    .for_each(|(_, op)| disk.apply(op, usize::MAX));
                pending.insert(file, later);
            }
            Op::Unlink { file } => {
                pending.remove(file.as_str());
                disk.files.remove(file);
            }
        }
    }
    let mut left: Vec<(&str, Vec<(usize, &Op)>)> = pending.into_iter().collect();
    left.sort_unstable_by_key(|(file, _)| *file);
    for (_, ops) in left {
        let all_gone = random.random_bool(0.3);
        for (_, op) in ops {
            if all_gone || random.random_bool(0.5) {
                continue;
            }
            let torn = random.random_bool(0.3);
            let keep = if torn {
                random.random_range(0..=8) * SECTOR
            } else {
                usize::MAX
            };
            disk.apply(op, keep);
        }
    }
    disk
}

impl Disk {
    /// Carries out an operation; of a write only the first `keep` bytes.
    fn apply(&mut self, op: &Op, keep: usize) {
        match op {
            Op::Write {
                file,
                offset,
                bytes,
            } => {
                let content = self.files.entry(file.clone()).or_default();
                let bytes = &bytes[..keep.min(bytes.len())];
                let end = offset + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*offset..end].copy_from_slice(bytes);
            }
            Op::Truncate { file, length } => self
                .files
                .entry(file.clone())
                .or_default()
                .resize(*length, 0),
            Op::Sync { .. } | Op::Unlink { .. } | Op::Ack(_) => {}
        }
    }

    /// Writes the files into a folder, except those whose name ends in one of `without`: shared
    /// memory does not survive a cut.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_to(&self, dir: &Path, without: &[&str]) -> io::Result<()> {
        for (file, content) in &self.files {
            if !without.iter().any(|end| file.ends_with(end)) {
                std::fs::write(dir.join(file), content)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn synced_writes_survive_and_unsynced_may_be_lost() {
        let write = |bytes: &[u8], offset| Op::Write {
            file: "f".into(),
            offset,
            bytes: bytes.to_vec(),
        };
        let ops = [
            write(b"safe", 0),
            Op::Sync {
                file: "f".into(),
                upto: 1,
            },
            Op::Ack("1".into()),
            write(b"lost", 4),
        ];
        let mut lost = 0;
        for seed in 0..50 {
            let disk = cut(
                &ops,
                ops.len(),
                &mut rand::rngs::StdRng::seed_from_u64(seed),
            );
            assert!(disk.files["f"].starts_with(b"safe"));
            assert_eq!(disk.acks, ["1"]);
            lost += u32::from(!disk.files["f"].ends_with(b"lost"));
        }
        assert!(
            (10..50).contains(&lost),
            "{lost} of 50 lost the unsynced write"
        );
    }
}
