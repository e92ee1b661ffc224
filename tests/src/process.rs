//! Information of Linux about a process.

/// Returns a number that `/proc/PID/status` has under this name, or `None` if the process has
/// ended.
#[must_use]
pub fn status(pid: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let mut lines = status.lines().filter_map(|line| line.split_once(':'));
    let (_, figure) = lines.find(|(of, _)| *of == name)?;
    figure.split_whitespace().next()?.parse().ok()
}

/// Returns the bytes of its resident memory.
#[must_use]
pub fn resident(pid: u32) -> Option<u64> {
    Some(status(pid, "VmRSS")? * 1024)
}
