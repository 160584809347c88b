//! Points at which a test ends or halts the program, as a crash or a machine that
//! sleeps would.
//!
//! `URLTREE_FAIL_POINT=KILL@commit.documents#2` sends the process itself `SIGKILL`
//! when it passes `commit.documents` for the second time, and says so on stderr:
//! a test sees by the signal that it came there. With `STOP` it goes on at
//! `SIGCONT`; `WAIT` is no signal: one thread waits there until stdin is closed, and
//! the others go on. Only debug builds on Unix know of it; elsewhere nothing is compiled
//! in.

use std::fmt;

/// Passes the point of this name.
#[cfg(all(debug_assertions, unix))]
pub fn fail_point(name: fmt::Arguments<'_>) {
    asked::pass(name);
}

/// Passes the point of this name.
#[cfg(not(all(debug_assertions, unix)))]
#[inline(always)]
pub fn fail_point(_: fmt::Arguments<'_>) {}

#[cfg(all(debug_assertions, unix))]
mod asked {
    use std::fmt;
    use std::io::{Read, Write};
    use std::process::Command;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct FailPoint {
        signal: String,
        name: String,
        /// Which pass it is.
        pass: usize,
        passed: AtomicUsize,
    }

    static ASKED: LazyLock<Option<FailPoint>> = LazyLock::new(|| {
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
        let Some(asked) = ASKED
            .as_ref()
            .filter(|asked| asked.name == name.to_string())
        else {
            return;
        };
        if asked.passed.fetch_add(1, Ordering::SeqCst) + 1 != asked.pass {
            return;
        }
        let signal = &asked.signal;
        // A closed stderr is no reason to live.
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
