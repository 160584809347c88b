//! Test pages, written as a few lines of text.

use template::{BlockCounts, LayoutBlock, Outline, Reason, Template, Title, first_equal};

/// A page of lines: literals and formatted strings.
#[allow(unused_macros)]
macro_rules! page {
    ($title:expr, $($line:expr),+ $(,)?) => {
        Sketch::new(&*$title, &[$(&*$line),+])
    };
}

/// A page: its title, and its blocks with their DOM paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch {
    title: String,
    blocks: Vec<SketchBlock>,
}

#[derive(Clone, Debug)]
struct SketchBlock {
    path: String,
    common_prefix: u16,
    text: String,
    link_chars: u32,
}

impl Sketch {
    /// Creates a page from lines `path | text`. A text in brackets is a link.
    ///
    /// An element with a mark, `@` or `@` and a number, is the same element as on the previous
    /// line if the marks are equal. Every other element is a new one, and so are the elements
    /// below it.
    pub(crate) fn new(title: &str, lines: &[&str]) -> Self {
        let mut sketch = Sketch {
            title: title.to_owned(),
            blocks: Vec::new(),
        };
        let mut before: Vec<&str> = Vec::new();
        for line in lines {
            let (path, text) = line.split_once('|').expect("a path and a text");
            let path: Vec<&str> = path.trim().split('>').filter(|e| !e.is_empty()).collect();
            let same = path
                .iter()
                .zip(&before)
                .take_while(|(one, other)| one == other && one.contains('@'))
                .count();
            let name = |element: &&str| element.split('@').next().unwrap_or_default().to_owned();
            let text = text.trim();
            let link = text
                .strip_prefix('[')
                .and_then(|text| text.strip_suffix(']'));
            let text = link.unwrap_or(text).to_owned();
            sketch.blocks.push(SketchBlock {
                path: path.iter().map(name).collect::<Vec<_>>().join(">"),
                common_prefix: u16::try_from(same).expect("a short path"),
                link_chars: link.map_or(0, chars),
                text,
            });
            before = path;
        }
        assert!(!sketch.blocks.is_empty());
        sketch
    }

    pub(crate) fn blocks(&self) -> Vec<LayoutBlock<'_>> {
        let title = Title::new(&self.title);
        self.blocks
            .iter()
            .map(|block| {
                let (path, shared) = (&*block.path, block.common_prefix);
                LayoutBlock::new(path, shared, &block.text, block.link_chars, &title)
            })
            .collect()
    }
}

fn chars(text: &str) -> u32 {
    u32::try_from(text.chars().count()).expect("a short text")
}

/// A site whose pages are counted, inserted and labelled one by one, as in a job.
#[derive(Debug, Default)]
pub(crate) struct SketchSite {
    template: Template,
    pages: Vec<Sketch>,
    by_letters: bool,
}

impl SketchSite {
    /// A site whose blocks are counted by their letters, as those of a job.
    #[allow(dead_code, reason = "each test binary has its own copy")]
    pub(crate) fn by_letters() -> Self {
        SketchSite {
            by_letters: true,
            ..Self::default()
        }
    }

    /// Adds a page, and returns the texts of its content.
    pub(crate) fn next(&mut self, page: Sketch) -> Vec<String> {
        let labelled = self.next_with_reasons(page);
        let content = labelled
            .into_iter()
            .filter(|(_, reason)| reason.is_content());
        content.map(|(text, _)| text).collect()
    }

    /// Adds a page, and returns its texts with their reasons.
    pub(crate) fn next_with_reasons(&mut self, page: Sketch) -> Vec<(String, Reason)> {
        self.pages.push(page);
        let page = &self.pages[self.pages.len() - 1];
        let counted = |text: &str| -> String {
            let is_counted = |letter: &char| !self.by_letters || letter.is_alphabetic();
            text.chars().filter(is_counted).collect()
        };
        let pages_with = |text: &str| {
            let text = counted(text);
            let has = |page: &&Sketch| page.blocks.iter().any(|block| counted(&block.text) == text);
            u32::try_from(self.pages.iter().filter(has).count()).expect("few pages")
        };
        let counts: Vec<u32> = page
            .blocks
            .iter()
            .map(|block| pages_with(&block.text))
            .collect();
        let texts: Vec<&str> = (page.blocks.iter())
            .map(|block| block.text.as_str())
            .collect();
        let counts = BlockCounts {
            pages: u32::try_from(self.pages.len()).expect("few pages"),
            blocks: &counts,
            first: &first_equal(&texts),
        };
        let blocks = page.blocks();
        let outline = Outline::new(&blocks);
        self.template
            .insert(&self.template.page_paths(&outline, counts));
        let reasons = self.template.label(&outline, counts);
        let texts = page.blocks.iter().map(|block| block.text.clone());
        texts.zip(reasons).collect()
    }
}

/// Returns a paragraph of about `chars` characters, which differs for every name.
pub(crate) fn prose(name: &str, chars: usize) -> String {
    let sentence = format!("Of {name} there is more to say than fits a line. ");
    let text: String = sentence.chars().cycle().take(chars).collect();
    text.trim().to_owned()
}
