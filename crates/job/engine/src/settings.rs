//! The settings that decide rows: the checked values of a job file. Reads no file but the rule files of a spec.

use std::sync::Arc;

use html_blocks::{BlockOptions, Joining, Noscript, PageLimits, SplitList};
use markdown::{MarkdownOptions, Markup, MarkupError};
use site_replay::{Labelling, Lookback, SiteSettings};
use tables::Table;
use url_key::{Blocklist, Grouping, KeyOptions, Keyer, Reading, RuleError, RuleSet, Scheme};
use url_tree::{Constants, WindowOptions};

use crate::job_document::JobDocument;
use crate::language_model::LanguageModel;
use crate::marked_paths::{domain_of, parsed_marks};
use crate::passed_through::passed_through;
use crate::settings_digest::settings_digest;
use crate::spec::{
    Batching, GroupingSpec, JobSpec, JoiningSpec, MarkdownPart, Method, Names, OutputSpec,
    PaperSpec, Queries, SchemeSpec, SpecError, SplitSpec, Written,
};

/// The settings that decide the rows of the output tables, together with the archive.
#[non_exhaustive]
pub struct Settings {
    /// The settings that decide the text of a page.
    pub site: SiteSettings,
    /// The optional tables that are written, and the optional columns of `documents` that are filled.
    pub written: Names<Written>,
    /// Names of the columns of the archive for the column `archive` of `documents`.
    pub passed_through: Arc<[String]>,
    /// How `documents` has Markdown, if it does.
    pub markdown: Option<MarkdownOptions>,
    /// The user's model of languages.
    pub language_model: Option<LanguageModel>,
    /// Digest of the settings that decide rows: the column `settings_digest` of `runs`.
    pub digest: String,
}

impl Settings {
    /// Checks the settings of `spec` and reads its rule files.
    ///
    /// # Errors
    /// [`SpecError`] with the key and the expected value.
    pub fn new(spec: &JobSpec) -> Result<Self, SpecError> {
        settings(&JobDocument::read(spec)?)
    }

    /// Returns the domain that has the pages of a host; `None` if a text is not a host.
    pub fn domain_of(&self, host: &str) -> Option<String> {
        domain_of(&self.site.keyer, host)
    }

    /// Returns the column `markdown` of a page: its block texts, their labels, its encoded markup and its URL. `None` if
    /// the job writes no Markdown.
    ///
    /// # Errors
    /// [`MarkupError`] if the markup is not that of the page.
    pub fn markdown_of<T: AsRef<str>>(
        &self,
        texts: &[T],
        is_content: &[bool],
        markup: &[u8],
        url: &str,
    ) -> Result<Option<String>, MarkupError> {
        let written = self.markdown.as_ref().map(|options| {
            let markup = Markup::from_bytes(markup)?;
            ::markdown::markdown(texts, is_content, &markup, url, options)
        });
        written.transpose()
    }

    /// Returns the tables that the plan writes. The driver writes `runs`.
    pub(crate) fn page_tables(&self) -> impl Iterator<Item = Table> {
        let tables = Table::ALL.into_iter();
        tables.filter(|table| *table != Table::Runs && self.writes(*table))
    }

    /// Returns the tables that a run opens before its work: all but the optional ones that the job does not write. A commit
    /// looks for those, because it replaces their dates too.
    pub(crate) fn opened_tables(&self) -> Vec<Table> {
        let is_opened = |table: &Table| !Table::OPTIONAL.contains(table) || self.writes(*table);
        Table::ALL.into_iter().filter(is_opened).collect()
    }

    /// Whether the page of a key is found among its copies, which are all parsed.
    pub(crate) fn finds_pages_among_revisions(&self) -> bool {
        self.site.revisions && self.site.lookback.rejects_pages_without_text()
    }

    /// Whether statements of pages about themselves or their use are kept.
    pub(crate) fn observes_pages(&self) -> bool {
        self.written.has(Written::Metadata) || self.written.has(Written::OptOut)
    }

    /// Whether something of a page is kept beside its texts.
    pub(crate) fn keeps_beside(&self) -> bool {
        self.observes_pages() || !self.passed_through.is_empty()
    }

    /// Whether the details of each block are kept beside its text: reason, counts and DOM path.
    pub(crate) fn keeps_block_details(&self) -> bool {
        self.writes(Table::Blocks) || self.writes(Table::SiteBlocks)
    }

    /// Whether the job writes `table`.
    pub(crate) fn writes(&self, table: Table) -> bool {
        match table {
            Table::Blocks => self.written.has(Written::Blocks),
            Table::Links => self.written.has(Written::Links),
            Table::SiteBlocks => self.written.has(Written::SiteBlocks),
            Table::UrlParameters => self.site.queries == Queries::Learn,
            _ => true,
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Settings({})", self.digest)
    }
}

pub(crate) fn settings(document: &JobDocument) -> Result<Settings, SpecError> {
    let JobDocument {
        spec,
        rules: rules_text,
        blocklist,
        paths,
        // Refuses pages, and decides nothing about the others.
        possible_dates: _,
    } = document;
    if spec.paper.is_some() && spec.method != Method::Paper {
        let expected = "the default method makes these choices itself; remove the section, or set method = \"paper\"";
        return Err(SpecError::key("paper", expected));
    }
    let choices = spec.choices();
    let rules = rule_set(&choices, rules_text)
        .map_err(|error| SpecError::key("url_key.rules", error.to_string()))?;
    let keyer = Keyer::new(
        key_options(spec, &choices),
        rules,
        Blocklist::parse(blocklist),
    )
    .map_err(|error| SpecError::key("domain.extra_suffixes", error.to_string()))?;
    let marks = parsed_marks(spec, paths, &keyer)?;
    let window = WindowOptions {
        max_pages: spec.window.max_pages,
        max_age_micros: i64::try_from(spec.window.max_age.as_micros()).map_err(|_| {
            SpecError::key(
                "window.max_age",
                "more than 292,000 years; expected a time such as 14d",
            )
        })?,
        min_pages: spec.window.min_pages,
    };
    let lookback = Lookback::parse(&choices.lookback, window)
        .map_err(|error| SpecError::key("paper.lookback", error.to_string()))?;
    refuse_relabelling(spec, &choices)?;
    let digest = settings_digest(spec, rules_text, blocklist, &marks);
    let mut site = SiteSettings::new(keyer);
    site.title = choices.title;
    site.lookback = lookback;
    site.queries = choices.queries;
    site.revisions = spec.dedup.revisions;
    site.blocks = block_options(spec, &choices)?;
    site.labelling = labelling(spec.method, &choices)?;
    site.constants = constants(&choices)?;
    site.page_kinds = spec.output.write.has(Written::PageKind);
    site.marks = Arc::new(marks);
    site.batching = choices.batching;
    site.relabel_days = spec.tree.relabel_days;
    site.window = window;
    Ok(Settings {
        site,
        digest,
        written: spec.output.write.clone(),
        passed_through: passed_through(spec)?,
        markdown: markdown_options(&spec.output),
        language_model: language_model(&spec.output)?,
    })
}

fn language_model(spec: &OutputSpec) -> Result<Option<LanguageModel>, SpecError> {
    if spec.language_model.is_some() && !spec.write.has(Written::Language) {
        let expected = "output.write has no `language`, so no language is found; add it";
        return Err(SpecError::key("output.language_model", expected));
    }
    Ok(spec.language_model.as_deref().map(LanguageModel::new))
}

/// Parses URL rules, which need a parameter of the URL or not by the choices of the job.
pub(crate) fn rule_set(choices: &PaperSpec, rules: &str) -> Result<RuleSet, RuleError> {
    let rules = RuleSet::parse(rules)?;
    Ok(rules.needing_parameters(choices.rules_need_parameters))
}

fn markdown_options(spec: &OutputSpec) -> Option<MarkdownOptions> {
    let options = MarkdownOptions::default()
        .with_emphasis(spec.markdown.has(MarkdownPart::Emphasis))
        .with_links(spec.markdown.has(MarkdownPart::Links))
        .with_images(spec.markdown.has(MarkdownPart::Images));
    spec.write.has(Written::Markdown).then_some(options)
}

fn labelling(method: Method, choices: &PaperSpec) -> Result<Labelling, SpecError> {
    let labelling = (choices.heuristic.parse::<Labelling>())
        .map_err(|error| SpecError::key("paper.heuristic", error.to_string()))?;
    if (method, labelling) == (Method::Paper, Labelling::Template) {
        let expected =
            "template is the default method; expected a heuristic of the paper, or no method";
        return Err(SpecError::key("paper.heuristic", expected));
    }
    Ok(labelling)
}

fn constants(choices: &PaperSpec) -> Result<Constants, SpecError> {
    let at_least_1 = |key, value: u32| match value {
        0 => Err(SpecError::key(key, "0; expected at least 1")),
        value => Ok(value),
    };
    Ok(Constants {
        n_min: at_least_1("paper.n_min", choices.n_min)?,
        c_max: at_least_1("paper.c_max", choices.c_max)?,
    })
}

/// Refuses `tree.relabel_days` unless the inserted pages do not depend on labels.
fn refuse_relabelling(spec: &JobSpec, choices: &PaperSpec) -> Result<(), SpecError> {
    let why = match choices.batching {
        _ if spec.tree.relabel_days == 0 => return Ok(()),
        Batching::Date if !spec.dedup.revisions => return Ok(()),
        Batching::Date => {
            "dedup.revisions is true, and the text that a revision adds depends on labels; \
             expected 0, or dedup.revisions=false"
        }
        _ => "it is for labels by date; expected 0, or paper.batching=date",
    };
    Err(SpecError::key("tree.relabel_days", why))
}

fn key_options(spec: &JobSpec, choices: &PaperSpec) -> KeyOptions {
    let mut options = KeyOptions::default();
    options.scheme = match choices.scheme {
        SchemeSpec::Merge => Scheme::Merge,
        SchemeSpec::Separate => Scheme::Separate,
    };
    options.reading = match spec.method {
        Method::Paper => Reading::Original,
        Method::Template => Reading::Server,
    };
    options.grouping = match spec.domain.grouping {
        GroupingSpec::Registrable => Grouping::RegistrableDomain,
        GroupingSpec::Host => Grouping::FullHost,
    };
    options.extra_suffixes = spec.domain.extra_suffixes.clone();
    if let Some(bytes) = spec.limits.url_bytes {
        options.max_url_bytes = bytes;
    }
    options
}

fn block_options(spec: &JobSpec, choices: &PaperSpec) -> Result<BlockOptions, SpecError> {
    let mut limits = PageLimits::default();
    if let Some(size) = spec.limits.page_bytes {
        limits.page_bytes = usize::try_from(size.as_u64()).map_err(|_| {
            let expected = "expected a size that fits the address space";
            SpecError::key("limits.page_bytes", expected)
        })?;
    }
    let mut options = BlockOptions::default();
    (options.split, options.noscript) = match choices.split {
        SplitSpec::Html => (SplitList::Html, Noscript::ScriptedPages),
        SplitSpec::Original => (SplitList::Original, Noscript::Never),
    };
    options.joining = match choices.joining {
        JoiningSpec::Tight => Joining::Tight,
        JoiningSpec::Spaced => Joining::Spaced,
    };
    options.limits = limits;
    Ok(options)
}
