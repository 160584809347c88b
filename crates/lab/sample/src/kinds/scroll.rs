//! Endless scroll: an article with other whole articles of the site below it, in Russian.
//!
//! The gold text is the first article: title and text. Captions, share rows and the other
//! articles are not. Each fetch has other articles below.

use crate::moment::{Subject, Writer};
use crate::story::{Block, Story};
use crate::template::Module;

impl Writer<'_> {
    pub(crate) fn scroll(&mut self, story: &Story) {
        let now = self.now;
        self.entry(story, true);
        let dice = &mut now.dice("scroll", now.at);
        let count = dice.between(3, 5);
        let others: Vec<&Story> = now.recent(Subject::Story(story)).collect();
        for other in dice.some(&others, count) {
            self.entry(other, false);
        }
    }

    /// Writes an article with its caption and its share row.
    fn entry(&mut self, story: &Story, is_own: bool) {
        self.open("article class=\"entry\"");
        self.line("h1 class=\"entry-title\"", &story.title, is_own);
        let date = self.language.date(story.date);
        let published = self.language.labels.published.replace("{date}", &date);
        self.other("p class=\"date\"", &published);
        self.other("p class=\"caption\"", &story.caption);
        self.open("div class=\"entry-content\"");
        for block in &story.blocks {
            match block {
                Block::Subhead(text) => self.line("h3", text, is_own),
                Block::Quote(text) => self.line("blockquote", text, is_own),
                block => self.line("p", block.text(), is_own),
            }
        }
        self.close("div");
        self.module(Module::Share, Subject::Story(story));
        self.module(Module::Tags, Subject::Story(story));
        self.close("article");
    }

    fn line(&mut self, element: &str, text: &str, is_own: bool) {
        if is_own {
            self.keep(text);
        }
        self.other(element, text);
    }
}
