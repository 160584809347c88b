//! The peak memory of the process.

/// Returns the most memory that the process has had resident so far, in bytes. `None` where the
/// system has no `/proc/self/status`.
pub(crate) fn peak_memory() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Reads the line `VmHWM:    123 kB` (proc_pid_status(5)).
fn parse(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_peak_is_read() {
        let status = "Name:\turltree\nVmPeak:\t  900 kB\nVmHWM:\t  12345 kB\nVmRSS:\t  99 kB\n";
        assert_eq!(parse(status), Some(12345 * 1024));
        assert_eq!(parse("Name:\turltree\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_peak_grows_with_memory_that_is_used() {
        let before = peak_memory().unwrap();
        let used = vec![1_u8; 64 << 20];
        assert!(std::hint::black_box(&used).contains(&1));
        assert!(peak_memory().unwrap() > before.max(64 << 20) - (1 << 20));
    }
}
