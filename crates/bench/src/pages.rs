//! The pages that everything is measured on.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use evaluation::GoldSet;

use crate::job::Urltree;
use crate::parsers::thread_seconds;

/// An archive on disk.
#[derive(Clone, Debug)]
pub(crate) struct Archive {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) pages: usize,
    pub(crate) html_bytes: u64,
    /// Of the processor, to read all HTML: decompressed and decoded, and nothing else.
    pub(crate) reading_seconds: f64,
}

impl Archive {
    pub(crate) fn at(path: &Path) -> Result<Self> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut archive = Archive {
            name: name.into_owned(),
            path: path.to_owned(),
            pages: 0,
            html_bytes: 0,
            reading_seconds: 0.0,
        };
        let before = thread_seconds();
        let (mut pages, mut html_bytes) = (0, 0);
        archive.for_each(|html| {
            pages += 1;
            html_bytes += html.len() as u64;
        })?;
        ensure!(pages > 0, "{}: no pages", path.display());
        archive.reading_seconds = thread_seconds() - before;
        (archive.pages, archive.html_bytes) = (pages, html_bytes);
        Ok(archive)
    }

    /// Pages of invented sites on a hundred days.
    pub(crate) fn sample(urltree: &Urltree, folder: &Path) -> Result<Self> {
        urltree.sample(folder, crate::nights::ALL)?;
        Self::at(&folder.join("pages"))
            .map(|archive| Archive {
                name: "sample".to_owned(),
                ..archive
            })
            .context("the sample")
    }

    /// Hands on the HTML of every page.
    pub(crate) fn for_each(&self, mut each: impl FnMut(&[u8])) -> Result<()> {
        for set in GoldSet::at(&self.path)? {
            set.for_each_fetched(|page| each(page.html))?;
        }
        Ok(())
    }
}

impl fmt::Display for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = self.html_bytes as f64 / 1e6;
        write!(f, "{} ({} pages, {megabytes:.0} MB)", self.name, self.pages)
    }
}
