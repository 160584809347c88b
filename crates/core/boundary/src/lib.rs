#![doc = include_str!("../README.md")]

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// A parser panicked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the parser of {of} panicked: {message}")]
pub struct ParserPanic {
    /// The format that it parsed.
    pub of: &'static str,
    /// The message of the panic.
    pub message: String,
}

/// Stands for bytes that a parser reads by itself.
pub const UNKNOWN: &[u8] = injected::MARK;

/// Calls `parse`, which parses the format `of` from `bytes`, or from [`UNKNOWN`] ones. After an error, do not use the values
/// that it has borrowed mutably.
///
/// # Errors
/// [`ParserPanic`] if it panics.
pub fn guarded<T>(
    of: &'static str,
    bytes: &[u8],
    parse: impl FnOnce() -> T,
) -> Result<T, ParserPanic> {
    let was_guarded = GUARDED.replace(true);
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        injected::panic_in(of, bytes);
        parse()
    }));
    GUARDED.set(was_guarded);
    parsed.map_err(|panic| ParserPanic {
        of,
        message: message(&*panic),
    })
}

/// Awaits `parse` as [`guarded`] calls a function.
///
/// # Errors
/// [`ParserPanic`] if it panics.
pub async fn guarded_future<T>(
    of: &'static str,
    parse: impl Future<Output = T>,
) -> Result<T, ParserPanic> {
    let mut parse = pin!(parse);
    std::future::poll_fn(move |context| {
        match guarded(of, UNKNOWN, || parse.as_mut().poll(context)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(parsed)) => Poll::Ready(Ok(parsed)),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    })
    .await
}

/// Makes panics in guarded calls silent, and those with a message of `caught`: panics that other code catches. They are
/// errors that the caller reports. Other panics are printed as before. A program calls it once, at its start.
pub fn silence_caught_panics(caught: &'static [&'static str]) {
    let print: Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync> = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_caught = GUARDED.get() || caught.contains(&&*message(panic.payload()));
        if !is_caught {
            print(panic);
        }
    }));
}

thread_local! {
    /// Whether this thread is in a guarded call.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

/// Panics for tests. `URLTREE_PANIC_IN=HTML` panics in each guarded call that parses HTML from bytes with
/// [`injected::MARK`], and so has [`UNKNOWN`]. Only debug builds have them.
mod injected {
    pub(crate) const MARK: &[u8] = b"panic in the parser";

    #[cfg(debug_assertions)]
    pub(crate) fn panic_in(of: &str, bytes: &[u8]) {
        use std::sync::LazyLock;
        static PARSER: LazyLock<Option<String>> =
            LazyLock::new(|| std::env::var("URLTREE_PANIC_IN").ok());
        if PARSER.as_deref() == Some(of) && bytes.windows(MARK.len()).any(|part| part == MARK) {
            panic!("injected");
        }
    }

    #[cfg(not(debug_assertions))]
    pub(crate) fn panic_in(_: &str, _: &[u8]) {}
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::*;

    #[test]
    fn a_panic_is_an_error_and_the_next_call_is_not() {
        let failed = guarded("a format", b"", || -> u32 { panic!("at {}", 7) });
        let error = failed.unwrap_err().to_string();
        assert_eq!(error, "the parser of a format panicked: at 7");
        assert_eq!(guarded("a format", b"", || 1), Ok(1));
    }

    #[test]
    fn a_future_that_panics_is_an_error() {
        let mut context = Context::from_waker(Waker::noop());
        let failed = async { panic!("late") };
        let mut failed = pin!(guarded_future("a format", failed));
        let Poll::Ready(Err(error)) = failed.as_mut().poll(&mut context) else {
            panic!("it is ready");
        };
        assert_eq!(error.message, "late");
    }
}
