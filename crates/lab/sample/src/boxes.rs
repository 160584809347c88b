//! Boxes beside and below an article.

use std::fmt::Write;

use crate::moment::{Subject, Writer};
use crate::story::{DAY, Story};
use crate::template::{Module, Role};

impl Writer<'_> {
    /// Writes a box.
    pub(crate) fn module(&mut self, module: Module, subject: Subject<'_>) {
        let labels = &self.language.labels;
        let now = self.now;
        let day = now.day();
        let dice = &mut now.dice("box", day);
        self.html.begin(Role::Box);
        match module {
            Module::Share => {
                self.html.begin(Role::List);
                for label in labels.share {
                    self.html.item("#share", "share", label);
                }
                self.html.end();
            }
            Module::Tags => {
                if let Subject::Story(story) = subject {
                    self.html.begin(Role::Byline);
                    self.html.text(labels.tags);
                    self.html.raw(": ");
                    for (position, tag) in story.tags.iter().enumerate() {
                        self.html.raw(if position > 0 { ", " } else { "" });
                        self.html.link(&format!("/tag/{position}"), "tag", tag);
                    }
                    self.html.end();
                }
            }
            Module::Author => {
                if let Subject::Story(story) = subject {
                    self.html.block(Role::Paragraph, &story.about);
                }
            }
            Module::Related => {
                self.html.block(Role::BoxTitle, labels.related);
                self.html.begin(Role::List);
                let section = match subject {
                    Subject::Story(story) => Some(story.section),
                    _ => None,
                };
                let recent = now
                    .recent(subject)
                    .filter(|story| Some(story.section) == section);
                let related: Vec<&Story> = recent.take(3).collect();
                for story in related {
                    self.html.item(&story.url, "related", &story.title);
                }
                self.html.end();
            }
            Module::Neighbours => {
                let recent: Vec<&Story> = now.recent(subject).take(1).collect();
                for story in recent {
                    self.html.text(labels.previous);
                    self.html.raw("<br>");
                    self.html.link(&story.url, "previous", &story.title);
                }
            }
            Module::Teasers => {
                let recent: Vec<&Story> = now.recent(subject).take(3).collect();
                for story in recent {
                    self.teaser(story);
                }
            }
            Module::MostRead => {
                let midnight = day * DAY;
                let before: Vec<&Story> = now
                    .stories
                    .iter()
                    .copied()
                    .filter(|story| story.published < midnight)
                    .collect();
                let read = now.dice("read", day).some(&before, 5);
                self.titles(labels.most_read, &read);
            }
            Module::Latest => {
                let recent: Vec<&Story> = now.recent(subject).take(5).collect();
                self.titles(labels.latest, &recent);
            }
            Module::Newsletter => {
                let [heading, text, button] = labels.newsletter;
                self.html.block(Role::BoxTitle, heading);
                self.html.block(Role::Paragraph, text);
                self.html.link("/newsletter", "newsletter", button);
            }
            Module::Poll => {
                let [question, answers @ ..] = labels.poll;
                self.html.block(Role::BoxTitle, question);
                self.html.begin(Role::List);
                for answer in answers {
                    self.html.block(Role::Item, answer);
                }
                self.html.end();
            }
            Module::Weather => {
                self.html.block(
                    Role::BoxTitle,
                    &labels.weather.replace("{place}", self.cast.place),
                );
                let degrees = format!("{} / {} \u{b0}C", dice.between(0, 9), dice.between(10, 24));
                self.html.block(Role::Paragraph, &degrees);
            }
            Module::Archive => {
                self.html.block(Role::BoxTitle, labels.archive);
                self.html.begin(Role::List);
                for month in self.language.months {
                    self.html.item("/archive", "archive", month);
                }
                self.html.end();
            }
            Module::Advert => {
                self.html.text(labels.advert);
                let _ = write!(
                    self.html.out,
                    "<script>ad('side',{},600);</script>",
                    dice.below(300)
                );
            }
            Module::RecentComments => {
                self.html.block(Role::BoxTitle, labels.recent_comments);
                let recent: Vec<&Story> = now.recent(subject).take(4).collect();
                self.html.begin(Role::List);
                for story in recent {
                    if let Some(comment) = story.comments.first() {
                        self.html.begin(Role::Item);
                        self.html.text(&comment.name);
                        self.html.raw(": ");
                        self.html.link(&story.url, "comment", &story.title);
                        self.html.end();
                    }
                }
                self.html.end();
            }
        }
        self.html.end();
    }

    fn titles(&mut self, heading: &str, stories: &[&Story]) {
        self.html.block(Role::BoxTitle, heading);
        self.html.begin(Role::List);
        for story in stories {
            self.html.item(&story.url, "list", &story.title);
        }
        self.html.end();
    }

    /// Writes the headline and the first paragraph of another story.
    pub(crate) fn teaser(&mut self, story: &Story) {
        self.html.begin(Role::Box);
        self.html.begin(Role::BoxTitle);
        self.html.link(&story.url, "teaser", &story.title);
        self.html.end();
        self.html.block(Role::Paragraph, story.lead());
        self.html
            .link(&story.url, "more", self.language.labels.read_more);
        self.html.end();
    }
}
