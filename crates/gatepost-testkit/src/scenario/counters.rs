//! Steps on what is counted.

use gatepost_ids::OwnerId;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::*;

use super::names::joined;
use super::play::{Answer, Play};
use super::step::{Step, parsed, seconds};
use crate::fixtures::at;

impl Play {
    pub(super) async fn on_counters(&mut self, step: &Step<'_>) -> Answer {
        let log = self.store.log.clone();
        Ok(match step.verb {
            "recount" => self.recount(step).await?,
            "use" => {
                let delta = |word: &&str| {
                    let parts: Vec<i64> = word.split('/').map(parsed).collect();
                    UsageDelta {
                        owner: OwnerId(parts[0].unsigned_abs().into()),
                        waiting: parts[1],
                        waiting_bytes: parts[2],
                        log_bytes: parts[3],
                    }
                };
                let deltas: Vec<_> = step.words.iter().map(delta).collect();
                log.add_usage(&deltas).await?;
                String::new()
            }
            "stats" => match log.queue_stats().await? {
                None => "none".to_owned(),
                stats if stats == self.counted => "as counted".to_owned(),
                stats => format!("{stats:?}"),
            },
            "hour" => {
                let counts: Vec<_> = step.words.iter().map(|word| self.hour_of(word)).collect();
                log.add_counts(&counts).await?;
                String::new()
            }
            "reject" => {
                let rejected = step.words.iter().map(|word| self.rejected_of(word));
                let rejected: Vec<_> = rejected.collect();
                log.count_rejected(&rejected).await?;
                String::new()
            }
            "rejected" => {
                let rows = log
                    .rejected(step.scope(), step.number_of("limit", 9))
                    .await?;
                joined(rows.iter().map(|row| {
                    let name = self.records.of([row.webhook.into()]);
                    format!(
                        "{name}/{:?}/{}/{}",
                        row.reason,
                        seconds(row.minute) / 60,
                        row.count
                    )
                }))
            }
            "hours" => {
                let counts = log
                    .hourly_counts(Scope::All, None, at(0), at(99_999), 99)
                    .await?;
                joined(counts.iter().map(|count| self.hour(count)))
            }
            _ => {
                let owners: Vec<_> = step
                    .words
                    .iter()
                    .map(|word| OwnerId(parsed(word)))
                    .collect();
                joined(log.log_usage(&owners).await?.iter().map(shown))
            }
        })
    }

    /// `recount owner [of=] [share=] [below=] [bytes]`: with `of`, the number of deliveries that
    /// ended, which are the measure of a share. Answers how many wait, and how many others count.
    async fn recount(&mut self, step: &Step<'_>) -> Answer {
        let each = self.measured.1;
        let share = step
            .option("share")
            .map(|share| parsed::<u64>(share) * each);
        let below = step
            .option("below")
            .map(|share| parsed::<u64>(share) * each - 1);
        let share = share.or(below).unwrap_or(u64::MAX);
        let used = self
            .store
            .log
            .recount_usage(OwnerId(step.number(0)), share)
            .await?;
        if step.word(1) == "bytes" {
            return Ok(shown(&used));
        }
        let ended = used.log_bytes - used.waiting_bytes;
        if let Some(of) = step.option("of") {
            self.measured = (used, ended / parsed::<u64>(of));
        }
        let (measured, each) = self.measured;
        if ended % each != 0 || used.waiting_bytes != measured.waiting_bytes {
            return Ok(format!("{used:?}, measured by {measured:?}"));
        }
        Ok(format!("{} waiting, {} ended", used.waiting, ended / each))
    }

    /// Returns the counts of a word as [`hour`](Self::hour) shows them.
    fn hour_of(&self, word: &str) -> HourlyCount {
        let (name, rest) = word.split_once('@').unwrap_or_default();
        let (hour, counts) = rest.split_once(':').unwrap_or_default();
        let counts: Vec<u64> = counts.split('/').map(parsed).collect();
        HourlyCount {
            webhook: self.webhook(name),
            hour: at(parsed::<i64>(hour) * 3_600),
            sent: counts[0],
            failed: counts[1],
            retried: counts[2],
            milliseconds: counts[3],
            bytes: counts[4],
            last_sent: Some(at(counts[5].cast_signed())),
        }
    }

    /// Returns `webhook/Reason/minute/count`.
    fn rejected_of(&self, word: &str) -> RejectedCount {
        let parts: Vec<_> = word.split('/').collect();
        let reason = match parts[1] {
            "Waiting" => RejectReason::Waiting,
            _ => RejectReason::Occurrence,
        };
        RejectedCount {
            webhook: self.webhook(parts[0]),
            reason,
            minute: at(parsed::<i64>(parts[2]) * 60),
            count: parsed(parts[3]),
        }
    }

    fn hour(&self, count: &HourlyCount) -> String {
        let (name, hour) = (
            self.records.of([count.webhook.into()]),
            seconds(count.hour) / 3_600,
        );
        let (sent, failed, retried) = (count.sent, count.failed, count.retried);
        let last = joined(count.last_sent.map(seconds));
        format!(
            "{name}@{hour}:{sent}/{failed}/{retried}/{}/{}/{last}",
            count.milliseconds, count.bytes
        )
    }
}

/// Returns what an owner uses: deliveries that wait, their bytes, and the bytes of the log.
fn shown(used: &LogUsage) -> String {
    format!("{}/{}/{}", used.waiting, used.waiting_bytes, used.log_bytes)
}
