//! Documentation: pages of a manual in two versions, in English.
//!
//! The gold text is the title and the text with headings, code, notes and tables. The table of
//! contents, links to the previous and the next page, and requests for opinions are not.

use crate::dice::Dice;
use crate::kind::VERSIONS;
use crate::moment::Writer;
use crate::story::{Block, Story};
use crate::titles::{NOUNS, VERBS, page_of_manual};

const TYPES: [&str; 5] = [
    "string",
    "integer",
    "boolean",
    "list of strings",
    "duration",
];
const UNITS: [&str; 4] = ["metres", "seconds", "bytes", "rows"];

/// Parameters that many functions have, each with its description.
const COMMON: [(&str, &str); 6] = [
    ("timeout", "How long to wait for an answer of the station."),
    ("retries", "How often a failed request is repeated."),
    ("dry_run", "Prints what would be done, and does nothing."),
    ("region", "The region of the station, if there are several."),
    ("verbose", "Writes each step to the log."),
    ("format", "The format of the output."),
];

impl Writer<'_> {
    pub(crate) fn manual(&mut self, story: &Story) {
        let version = VERSIONS[story.number % VERSIONS.len()];
        self.open("div class=\"manual\"");
        self.contents(story, version);
        self.open("div class=\"document\" role=\"main\"");
        self.kept("h1", &story.title);
        // Both versions have equal draws, except for those of `changed`.
        let page = story.id - (story.number % VERSIONS.len()) as i64;
        let dice = &mut self.now.dice("manual", page);
        let changed = &mut self.part("version", story, 0);
        let name = story.title.replace('.', "_");
        self.kept(
            "div class=\"signature\"",
            &format!("{}(station, timeout, {})", story.title, dice.one(&NOUNS)),
        );
        for (position, block) in story.blocks.iter().enumerate() {
            let text = block.text();
            match block {
                Block::Subhead(_) => self.kept("h2", text),
                Block::Quote(_) => self.note(text),
                _ if changed.percent(10) => {
                    let cast = self.language.cast(changed);
                    let text = self.language.paragraph(changed, &cast, 2);
                    self.kept("p", &text);
                }
                _ => self.kept("p", text),
            }
            match position {
                1 => self.parameters(dice),
                2 => self.code(&name, version, dice),
                _ => {}
            }
        }
        self.methods(dice);
        self.close("div");
        self.helpful(story, version);
        self.close("div");
    }

    /// Writes the table of contents: chapters, and the pages of the open chapter.
    fn contents(&mut self, story: &Story, version: &str) {
        let dice = &mut self.now.dice("contents", story.section as i64);
        self.open("div class=\"toctree\"");
        self.other("p class=\"caption\"", &format!("Version {version}"));
        self.open("ul");
        for chapter in NOUNS {
            self.linked(
                "li class=\"toctree-l1\"",
                &format!("/en/{version}/{chapter}/"),
                chapter,
            );
        }
        for _ in 0..dice.between(30, 60) {
            let page = page_of_manual(dice);
            self.linked(
                "li class=\"toctree-l2\"",
                &format!("/en/{version}/{page}.html"),
                &page,
            );
        }
        self.close("ul");
        self.close("div");
    }

    fn note(&mut self, text: &str) {
        self.open("div class=\"admonition\"");
        self.kept("p class=\"admonition-title\"", "Note");
        self.kept("p", text);
        self.close("div");
    }

    /// Writes the parameters. Their labels recur beside unique values.
    fn parameters(&mut self, dice: &mut Dice) {
        self.kept("h2", "Parameters");
        self.open("table class=\"parameters\"");
        for (name, text) in dice.some(&COMMON, 2) {
            let kind = format!("{} up to {}", dice.one(&TYPES), dice.between(41, 9_000));
            let default = format!("{} {}", dice.between(2, 900), dice.one(&UNITS));
            self.open("tr");
            self.kept("th", name);
            self.open("td");
            let cast = self.language.cast(dice);
            let more = self.language.paragraph(dice, &cast, 1);
            self.kept("p", &format!("{text} {more}"));
            self.open("dl class=\"field-list\"");
            for (label, value) in [
                ("Type", kind.as_str()),
                ("Default", &default),
                ("Required", dice.one(&["yes", "no"])),
            ] {
                self.kept("dt", label);
                self.kept("dd", value);
            }
            self.close("dl");
            self.close("td");
            self.close("tr");
        }
        self.close("table");
    }

    fn code(&mut self, name: &str, version: &str, dice: &mut Dice) {
        self.kept("h2", "Example");
        self.open("pre");
        let code = format!(
            "import sluicegate as sg  # {version}\nstation = sg.connect()\nresult = station.{name}({})\nprint(result.{})",
            dice.between(1, 900),
            dice.one(&NOUNS)
        );
        self.keep(&code);
        self.html.text(&code);
        self.close("pre");
    }

    /// Writes the methods that a class inherits. Many pages have the same texts.
    fn methods(&mut self, dice: &mut Dice) {
        self.kept("h2", "Methods");
        self.open("dl class=\"methods\"");
        for _ in 0..dice.between(9, 15) {
            let number = dice.below(90);
            let method = &mut self.now.dice("method", number as i64);
            let cast = self.language.cast(method);
            let name = format!(
                "{}_{}(station, timeout={}, retries={}, region={}_{}, on_error={}_{}, verbose={})",
                method.one(&VERBS),
                method.one(&NOUNS),
                method.below(90),
                method.below(9),
                method.one(&NOUNS),
                method.below(40),
                method.one(&VERBS),
                method.one(&NOUNS),
                method.one(&["True", "False"]),
            );
            let text = self.language.paragraph(method, &cast, 3);
            self.kept("dt", &name);
            self.open("dd");
            self.kept("p", &text);
            if method.percent(40) {
                self.open("dl class=\"field-list\"");
                self.kept("dt", "Returns");
                self.kept("dd", method.one(&TYPES));
                self.close("dl");
            }
            self.close("dd");
        }
        self.close("dl");
    }

    fn helpful(&mut self, story: &Story, version: &str) {
        let dice = &mut self.part("neighbours", story, 0);
        self.open("div class=\"pager\"");
        for label in ["Previous", "Next"] {
            let page = page_of_manual(dice);
            let address = format!("/en/{version}/{page}.html");
            self.html
                .link(&address, "pager", &format!("{label}: {page}"));
            self.html.raw("<br>");
        }
        self.close("div");
        self.open("div class=\"feedback\"");
        self.html.text("Was this page helpful?");
        self.html.raw(" <button>Yes</button> <button>No</button> ");
        self.html.link("/edit", "edit", "Edit this page");
        self.close("div");
    }
}
