//! Values that must not grow: resident memory, open files, tasks.

use std::time::Duration;

use gatepost_engine::Health;

use crate::process::resident;

/// One sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    memory_kib: u64,
    files: u64,
    tasks: u64,
}

#[derive(Debug, Default)]
pub(super) struct Watch {
    samples: Vec<Sample>,
}

impl Watch {
    /// Takes a sample and prints it.
    pub(super) fn look(&mut self, at: Duration, health: &Health) {
        let sample = Sample {
            memory_kib: resident(std::process::id()).unwrap() / 1024,
            files: std::fs::read_dir("/proc/self/fd").unwrap().count() as u64,
            tasks: tokio::runtime::Handle::current()
                .metrics()
                .num_alive_tasks() as u64,
        };
        println!("{:>5} s  {sample:?}  {health:?}", at.as_secs());
        self.samples.push(sample);
    }

    /// Compares the last quarter with the second one: the first fills pools and caches.
    pub(super) fn verdict(&self) -> Result<(), String> {
        let quarter = self.samples.len() / 4;
        if quarter == 0 {
            return Err("too short to judge: 40 seconds at least".to_owned());
        }
        let (early, late) = (
            &self.samples[quarter..quarter * 2],
            &self.samples[quarter * 3..],
        );
        let grown = |name: &str, of: fn(&Sample) -> u64, slack: u64| {
            let (before, after) = (median(early, of), median(late, of));
            println!("{name}: {before} in the second quarter, {after} in the last");
            let bound = before + (before / 20).max(slack);
            (after > bound).then(|| format!("{name} grew from {before} to {after}"))
        };
        let found = [
            grown("resident memory, KiB", |s| s.memory_kib, 4096),
            grown("open files", |s| s.files, 20),
            grown("tasks", |s| s.tasks, 40),
        ];
        let found: Vec<String> = found.into_iter().flatten().collect();
        if found.is_empty() {
            Ok(())
        } else {
            Err(found.join("; "))
        }
    }
}

fn median(samples: &[Sample], of: fn(&Sample) -> u64) -> u64 {
    let mut figures: Vec<u64> = samples.iter().map(of).collect();
    figures.sort_unstable();
    figures[figures.len() / 2]
}
