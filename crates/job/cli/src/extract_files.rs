//! The command `extract`: the text of files of HTML, without a job and tables.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use engine::{JobSpec, Settings};
use html_blocks::BlockOptions;
use markdown::MarkdownOptions;
use serde_json::json;
use site_text::{Fetched, PageText, Site, extract_page};
use url::Url;

use crate::print::print;
use crate::usage::{NotFound, Usage};

/// The folder of files whose address is not given. RFC 6761 reserves the name.
const NOWHERE: &str = "http://site.invalid/";

#[derive(Debug, clap::Args)]
pub(crate) struct ExtractArgs {
    /// Files of HTML. Several are pages of one site, whose template they show. - is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Address of the page, to which its links are relative. Of several files: the address of the folder that has them all.
    #[arg(long, value_name = "URL")]
    url: Option<Url>,
    /// Print Markdown: headings, lists, tables, code, links.
    #[arg(long)]
    markdown: bool,
    /// Print a JSON object per file: file, url, title, language, text.
    #[arg(long)]
    json: bool,
}

/// A file that was read.
struct File<'a> {
    path: &'a Path,
    html: Vec<u8>,
    /// The address of the page.
    url: Option<Url>,
}

/// Prints the text of each file. Files that have none do not stop others.
pub(crate) fn extract(args: &ExtractArgs) -> Result<()> {
    let files = read(args)?;
    let pages = match &files[..] {
        [file] => vec![alone(file)],
        files => together(files)?,
    };
    let (mut printed, mut problems) = (Vec::new(), Vec::new());
    for (file, page) in files.iter().zip(pages) {
        match page {
            Ok(page) => printed.push(args.printed(file, &page, files.len() > 1)?),
            Err(problem) => problems.push(format!("{}: {problem}", file.path.display())),
        }
    }
    let between = if args.json { "\n" } else { "\n\n" };
    if !printed.is_empty() {
        print(&printed.join(between))?;
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(NotFound::of(problems.join("\n")).into()),
    }
}

fn read(args: &ExtractArgs) -> Result<Vec<File<'_>>> {
    let folder = common_folder(&args.files);
    let is_folder = args.files.len() > 1;
    args.files
        .iter()
        .map(|path| {
            let mut html = Vec::new();
            if path.as_os_str() == "-" {
                std::io::stdin().lock().read_to_end(&mut html)
            } else {
                std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut html))
            }
            .with_context(|| format!("cannot read {}", path.display()))?;
            let url = match is_folder {
                true => Some(address(
                    args.url.as_ref(),
                    path.strip_prefix(folder).unwrap_or(path),
                )?),
                false => args.url.clone(),
            };
            Ok(File { path, html, url })
        })
        .collect()
}

/// Returns the deepest folder that has all files.
fn common_folder(files: &[PathBuf]) -> &Path {
    let folders = files
        .iter()
        .map(|file| file.parent().unwrap_or(Path::new("")));
    let common = folders.reduce(|common, folder| {
        let mut above = common.ancestors();
        above
            .find(|above| folder.starts_with(above))
            .unwrap_or(Path::new(""))
    });
    common.unwrap_or(Path::new(""))
}

/// Returns the address of the file at `path` below the folder with the address `folder`.
fn address(folder: Option<&Url>, path: &Path) -> Result<Url, Usage> {
    let mut url = match folder {
        Some(folder) => folder.clone(),
        None => Url::parse(NOWHERE).map_err(Usage::of)?,
    };
    url.path_segments_mut()
        .map_err(|()| Usage::of("--url: expected an http:// or https:// URL"))?
        .pop_if_empty()
        .extend(path.iter().map(|part| part.to_string_lossy()));
    Ok(url)
}

/// Labels a page of which nothing else is known.
fn alone(file: &File<'_>) -> Result<PageText, String> {
    let url = file.url.as_ref().map(Url::as_str);
    extract_page(&file.html, url, None, None, &BlockOptions::default())
        .map_err(|error| error.to_string())
}

/// Labels pages by all of them.
fn together(files: &[File<'_>]) -> Result<Vec<Result<PageText, String>>> {
    let settings = Settings::new(&JobSpec::defaults(&[])?)?.site;
    let mut site = Site::new(Arc::new(settings));
    for file in files {
        site.add(&as_fetched(file))?;
    }
    let labelled = files.iter().map(|file| {
        let page = site.look(&as_fetched(file))?;
        Ok(match page.problem {
            Some(problem) => Err(problem),
            None => Ok(page),
        })
    });
    labelled.collect()
}

fn as_fetched<'a>(file: &'a File<'_>) -> Fetched<'a> {
    Fetched {
        url: file.url.as_ref().map_or("", Url::as_str),
        html: Some(&file.html),
        charset: None,
        title: None,
        fetched_at: None,
    }
}

impl ExtractArgs {
    fn printed(&self, file: &File<'_>, page: &PageText, is_named: bool) -> Result<String> {
        let name = file.path.display();
        let text = if self.markdown {
            let options = MarkdownOptions::default().with_links(true);
            page.markdown(&options).with_context(|| name.to_string())?
        } else {
            page.text()
        };
        let text = text.trim_end();
        if self.json {
            return Ok(json!({
                "file": name.to_string(),
                "url": file.url.as_ref().filter(|_| self.url.is_some()).map(Url::as_str),
                "title": page.title,
                "language": page.language().map(|language| language.code),
                "text": text,
            })
            .to_string());
        }
        Ok(if is_named {
            format!("==> {name} <==\n{text}")
        } else {
            text.to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_addresses_below_the_folder_that_has_them_all() {
        let files = ["site/a.html", "site/b/ü?.html"].map(PathBuf::from);
        assert_eq!(common_folder(&files), Path::new("site"));
        let base = Url::parse("https://tea.example/shop").unwrap();
        let urls = files.iter().map(|file| {
            let url = address(Some(&base), file.strip_prefix("site").unwrap());
            url.unwrap().to_string()
        });
        let urls: Vec<_> = urls.collect();
        assert_eq!(
            urls,
            [
                "https://tea.example/shop/a.html",
                "https://tea.example/shop/b/%C3%BC%3F.html"
            ]
        );
        let apart = ["/a/1.html", "b/2.html"].map(PathBuf::from);
        assert_eq!(common_folder(&apart), Path::new(""));
        assert!(
            address(
                Some(&Url::parse("mailto:a@b.example").unwrap()),
                Path::new("1")
            )
            .is_err()
        );
    }
}
