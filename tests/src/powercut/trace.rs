//! Records and reads the system calls that change files.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// A system call that changes the disk, or an acknowledgement.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Op {
    /// Bytes at an offset.
    Write {
        /// The file's name, without its folder.
        file: String,
        /// The position of the write.
        offset: usize,
        /// The written bytes.
        bytes: Vec<u8>,
    },
    /// The file gets this length.
    Truncate {
        /// The file.
        file: String,
        /// Its new length.
        length: usize,
    },
    /// Everything that was written to the file before the operation numbered `upto` is on the disk.
    Sync {
        /// The file.
        file: String,
        /// Operations from here on are not covered: they came after the sync had begun.
        upto: usize,
    },
    /// The file was removed.
    Unlink {
        /// The file.
        file: String,
    },
    /// The program promised something: a line `ACK text` on its standard output.
    Ack(String),
}

/// One line of the record, before it is interpreted.
#[derive(Debug)]
pub struct Call<'a> {
    name: &'a str,
    args: String,
    /// Number of operations before the call began.
    began: usize,
}

/// Runs a command under `strace` and returns its operations on files in `dir`.
///
/// # Errors
/// If strace cannot be run, or the command fails.
pub fn record(command: &[&str], dir: &Path, trace: &Path) -> io::Result<Vec<Op>> {
    let status = Command::new("strace")
        .args([
            "-f",
            "-y",
            "-xx",
            "-s",
            "4000000",
            "-e",
            "trace=pwrite64,fdatasync,fsync,ftruncate,write,unlink,unlinkat",
            "-o",
        ])
        .arg(trace)
        .args(command)
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(io::Error::other(format!(
            "the traced program failed: {status}"
        )));
    }
    Ok(parse(&std::fs::read_to_string(trace)?, dir))
}

/// Returns the operations in a record of `strace -f -y -xx`, for files directly in `dir`.
#[must_use]
pub fn parse(trace: &str, dir: &Path) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut unfinished: HashMap<&str, Call<'_>> = HashMap::new();
    for line in trace.lines() {
        let Some((pid, rest)) = line.split_once(char::is_whitespace) else {
            continue;
        };
        let rest = rest.trim_start();
        if let Some(resumed) = rest.strip_prefix("<... ") {
            let (Some(mut call), Some((_, tail))) =
                (unfinished.remove(pid), resumed.split_once(" resumed>"))
            else {
                continue;
            };
            call.args.push_str(tail);
            finish(&mut ops, &call, dir);
        } else if let Some((name, args)) = rest.split_once('(') {
            match args.strip_suffix("<unfinished ...>") {
                Some(begun) => {
                    unfinished.insert(
                        pid,
                        Call {
                            name,
                            args: begun.trim_end().to_owned(),
                            began: ops.len(),
                        },
                    );
                }
                None => {
                    let began = ops.len();
                    finish(
                        &mut ops,
                        &Call {
                            name,
                            args: args.to_owned(),
                            began,
                        },
                        dir,
                    );
                }
            }
        }
    }
    ops
}

fn finish(ops: &mut Vec<Op>, call: &Call<'_>, dir: &Path) {
    let Some((args, result)) = call.args.rsplit_once(" = ") else {
        return;
    };
    let Some(args) = args.trim_end().strip_suffix(')') else {
        return;
    };
    if result.starts_with('-') {
        return;
    }
    let strings = strings(args);
    let described = || {
        args.split_once('<')
            .and_then(|(_, rest)| rest.split_once('>'))
            .map(|(path, _)| unhex(path))
    };
    let file = |path: Option<Vec<u8>>| {
        let path = String::from_utf8(path?).ok()?;
        let path = Path::new(path.trim_end_matches(" (deleted)"));
        (path.parent() == Some(dir)).then(|| {
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        })?
    };
    let op = match call.name {
        "pwrite64" => (|| {
            let offset = args.rsplit_once(", ")?.1.trim().parse().ok()?;
            Some(Op::Write {
                file: file(described())?,
                offset,
                bytes: strings.into_iter().next()?,
            })
        })(),
        "ftruncate" => (|| {
            let length = args.rsplit_once(", ")?.1.trim().parse().ok()?;
            Some(Op::Truncate {
                file: file(described())?,
                length,
            })
        })(),
        "fsync" | "fdatasync" => file(described()).map(|file| Op::Sync {
            file,
            upto: call.began,
        }),
        "unlink" | "unlinkat" => {
            file(strings.into_iter().next_back()).map(|file| Op::Unlink { file })
        }
        "write" => {
            for text in strings {
                let text = String::from_utf8_lossy(&text).into_owned();
                ops.extend(
                    text.lines()
                        .filter_map(|l| l.strip_prefix("ACK "))
                        .map(|ack| Op::Ack(ack.to_owned())),
                );
            }
            None
        }
        _ => None,
    };
    ops.extend(op);
}

/// Returns the quoted strings of an argument list, decoded. A descriptor's path is in `<…>`,
/// unquoted.
fn strings(args: &str) -> Vec<Vec<u8>> {
    args.split('"').skip(1).step_by(2).map(unhex).collect()
}

/// Decodes `\x2f\x74`; text in another form is returned unchanged.
fn unhex(text: &str) -> Vec<u8> {
    if !text.starts_with("\\x") {
        return text.as_bytes().to_vec();
    }
    text.split("\\x")
        .filter_map(|pair| u8::from_str_radix(pair, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_several_threads_are_put_together() {
        let trace = concat!(
            "10 pwrite64(3<\\x2f\\x64\\x2f\\x61>, \"\\x68\\x69\", 2, 4096) = 2\n",
            "10 fdatasync(3<\\x2f\\x64\\x2f\\x61> <unfinished ...>\n",
            "11 pwrite64(3<\\x2f\\x64\\x2f\\x61>, \"\\x21\", 1, 0) = 1\n",
            "10 <... fdatasync resumed>)           = 0\n",
            "11 write(1<\\x70>, \"\\x41\\x43\\x4b\\x20\\x37\\x0a\", 6) = 6\n",
            "11 fsync(3<\\x2f\\x64\\x2f\\x61>) = -1 EIO (Input/output error)\n",
            "11 pwrite64(4<\\x2f\\x65\\x2f\\x61>, \"\\x68\\x69\", 2, 0) = 2\n",
            "11 unlink(\"\\x2f\\x64\\x2f\\x61\") = 0\n",
        );
        let file = "a".to_owned();
        assert_eq!(
            parse(trace, Path::new("/d")),
            [
                Op::Write {
                    file: file.clone(),
                    offset: 4096,
                    bytes: b"hi".to_vec()
                },
                Op::Write {
                    file: file.clone(),
                    offset: 0,
                    bytes: b"!".to_vec()
                },
                Op::Sync {
                    file: file.clone(),
                    upto: 1
                },
                Op::Ack("7".into()),
                Op::Unlink { file },
            ]
        );
    }
}
