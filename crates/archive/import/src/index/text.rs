//! Indexes of lines: CDX and CDXJ, with gzip or without.

use std::io::{self, Read};

use boundary::{UNKNOWN, guarded};
use crawl_index::Reader;
use flate2::read::DeflateDecoder;

use crate::error::ImportError;
use crate::index::chooser::{Chooser, Origin};
use crate::inputs::Input;
use crate::pages::lines::{Lines, plain};
use crate::source::{Source, Watch};
use crate::write::ended;

/// Most bytes of a line. Real ones have less than 10 KB.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Reads the lines of `input`, which zip may have compressed.
pub(crate) async fn read(
    input: &Input,
    is_deflated: bool,
    origin: Origin,
    mut chooser: Chooser,
) -> Result<Chooser, ImportError> {
    let watch = Watch::default();
    let (progress, _) = tokio::sync::mpsc::unbounded_channel();
    let source = Source::open(input, progress, watch.clone()).await?;
    let read = tokio::task::spawn_blocking(move || {
        let source: Box<dyn Read + Send> = match is_deflated {
            true => Box::new(DeflateDecoder::new(source)),
            false => Box::new(source),
        };
        take(source, &origin, &mut chooser).map(|()| chooser)
    });
    let read = read.await.map_err(|_| ended(input))?;
    watch.check(input)?;
    read
}

/// Takes the lines of `source`.
pub(crate) fn take(
    source: impl Read + Send + 'static,
    origin: &Origin,
    chooser: &mut Chooser,
) -> Result<(), ImportError> {
    let problem = |problem: String| ImportError::Index {
        index: origin.index.clone(),
        problem,
    };
    let read = guarded("an index", UNKNOWN, || lines(source, origin, chooser));
    match read {
        Ok(Err(Failure::Read(error))) => Err(problem(error)),
        Ok(Err(Failure::Import(error))) => Err(error),
        Ok(Ok(())) => Ok(()),
        Err(panic) => Err(problem(panic.to_string())),
    }
}

/// The reason why an index was not read to its end.
enum Failure {
    Read(String),
    Import(ImportError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Read(error.to_string())
    }
}

fn lines(
    source: impl Read + Send + 'static,
    origin: &Origin,
    chooser: &mut Chooser,
) -> Result<(), Failure> {
    let bytes = plain(source).map_err(|error| Failure::Read(error.to_string()))?;
    let mut lines = Lines::new(bytes, b"\n", MAX_LINE_BYTES);
    let mut reader = Reader::default();
    while let Some(line) = lines.next()? {
        if line.is_whole {
            let taken = chooser.line(&mut reader, &line.bytes, origin);
            taken.map_err(Failure::Import)?;
        } else {
            let problem = format!("line {} has more than {MAX_LINE_BYTES} bytes", line.number);
            chooser.unreadable(origin, &problem);
        }
    }
    Ok(())
}
