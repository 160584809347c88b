//! Fail points: named places in the code at which a test kills or stops the process,
//! as a crash or a sleeping machine would.
//!
//! `URLTREE_FAIL_POINT=KILL@commit.documents#2` sends `SIGKILL` to the process when it
//! passes `commit.documents` for the second time, after a line on stderr. `STOP` sends
//! `SIGSTOP`; the process continues at `SIGCONT`. `WAIT` sends no signal: the thread
//! waits until stdin is closed, and other threads continue. Only debug builds have fail
//! points. The crate `fail` is not used because it cannot send signals.

use std::fmt;

/// Passes the fail point with this name.
#[cfg(debug_assertions)]
pub fn fail_point(name: fmt::Arguments<'_>) {
    enabled::pass(name);
}

/// Passes the fail point with this name.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn fail_point(_: fmt::Arguments<'_>) {}

#[cfg(debug_assertions)]
mod enabled {
    use std::fmt;
    use std::io::{Read, Write};
    use std::process::Command;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct FailPoint {
        signal: String,
        name: String,
        /// The pass at which the signal is sent, from 1 upwards.
        pass: usize,
        passed: AtomicUsize,
    }

    static FAIL_POINT: LazyLock<Option<FailPoint>> = LazyLock::new(|| {
        let text = std::env::var("URLTREE_FAIL_POINT").ok()?;
        let (signal, point) = text.split_once('@')?;
        let (name, pass) = point.split_once('#')?;
        Some(FailPoint {
            signal: signal.to_owned(),
            name: name.to_owned(),
            pass: pass.parse().ok()?,
            passed: AtomicUsize::new(0),
        })
    });

    pub(super) fn pass(name: fmt::Arguments<'_>) {
        let Some(point) = FAIL_POINT
            .as_ref()
            .filter(|point| point.name == name.to_string())
        else {
            return;
        };
        if point.passed.fetch_add(1, Ordering::SeqCst) + 1 != point.pass {
            return;
        }
        let signal = &point.signal;
        // A closed stderr does not matter.
        let _ = writeln!(std::io::stderr(), "fail point {name}: {signal}");
        if signal == "WAIT" {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            return;
        }
        let process = std::process::id().to_string();
        let kill = ["-c", "kill -s \"$0\" \"$1\"", signal, &process];
        let _ = Command::new("sh").args(kill).status();
        if signal == "KILL" {
            loop {
                std::thread::park();
            }
        }
    }
}
