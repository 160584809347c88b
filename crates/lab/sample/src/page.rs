//! Rendering of pages: a story in the template of its site at one moment.

use std::fmt::Write;

use chrono::{NaiveDate, TimeDelta};

use crate::address::front;
use crate::html::Html;
use crate::kind::Kind;
use crate::moment::{Moment, Subject, Writer};
use crate::site::Declared;
use crate::story::{Block, Comment, DAY, Story};
use crate::template::{Byline, Frame, Markup, Paragraphs, Role, Side};

/// Renders a page in the site's charset.
pub(crate) fn render(moment: &Moment<'_>, subject: Subject<'_>) -> Vec<u8> {
    render_with_gold(moment, subject).0
}

/// Renders a page in the site's charset, and returns its gold text: of a news story the story,
/// of another kind of page the marked text of the page at this moment.
pub(crate) fn render_with_gold(moment: &Moment<'_>, subject: Subject<'_>) -> (Vec<u8>, String) {
    let language = moment.site.language;
    let mut writer = Writer {
        html: Html::new(moment.template),
        now: *moment,
        language,
        cast: language.cast(&mut moment.dice("boxes", moment.day())),
        gold: String::new(),
    };
    writer.page(subject);
    let (bytes, _, _) = moment.site.charset.encode(&writer.html.out);
    let bytes = match moment.site.declared {
        Declared::Bom => [b"\xef\xbb\xbf", &*bytes].concat(),
        _ => bytes.into_owned(),
    };
    match (subject, moment.site.kind) {
        (Subject::Story(story), Kind::News) => (bytes, story.text()),
        _ => (bytes, writer.gold),
    }
}

impl Writer<'_> {
    fn page(&mut self, subject: Subject<'_>) {
        self.head(subject);
        if let Subject::Script = subject {
            self.html.raw("<div id=\"root\"></div>\n<script>app.start(document.getElementById('root'));</script></body></html>\n");
            return;
        }
        self.top(subject);
        self.html.begin(Role::Columns);
        if self.now.template.side == Side::BeforeMain {
            self.side(subject);
        }
        self.html.begin(Role::Main);
        match subject {
            Subject::Story(story) => match self.now.site.kind {
                Kind::News => self.story(story),
                Kind::Forum => self.thread(story),
                Kind::Documentation => self.manual(story),
                Kind::Tickets => self.ticket(story),
                Kind::Shop => self.product(story),
                Kind::Glossary => self.term(story),
                Kind::Ministry => self.ministry(story),
                Kind::Scroll => self.scroll(story),
            },
            Subject::Front(section) => self.front(section),
            Subject::List(date) => self.list(date),
            Subject::NotFound | Subject::Script => {
                let [heading, text] = self.language.labels.not_found;
                self.html.block(Role::Headline, heading);
                self.html.block(Role::Paragraph, text);
            }
        }
        self.html.end();
        if self.now.template.side == Side::AfterMain {
            self.side(subject);
        }
        self.html.end();
        self.foot();
    }

    fn head(&mut self, subject: Subject<'_>) {
        let site = self.now.site;
        let template = self.now.template;
        self.html.raw(template.doctype());
        self.html.raw("\n<head>\n");
        if site.declared == Declared::Meta {
            let name = site.charset.name();
            let _ = match template.markup {
                Markup::Html5 => {
                    writeln!(self.html.out, "<meta charset=\"{name}\">")
                }
                _ => writeln!(
                    self.html.out,
                    "<meta http-equiv=\"Content-Type\" content=\"text/html; charset={name}\" />"
                ),
            };
        }
        let title = match subject {
            Subject::Story(story) => &story.title,
            Subject::Front(section) => self.language.sections[section].0,
            Subject::List(_) => self.language.labels.archive,
            Subject::NotFound => self.language.labels.not_found[0],
            Subject::Script => site.name,
        };
        self.html.raw("<title>");
        self.html.text(title);
        self.html.raw(" - ");
        self.html.text(site.name);
        self.html.raw("</title>\n<link rel=\"stylesheet\" type=\"text/css\" href=\"/css/screen.css\">\n<style type=\"text/css\">\n");
        self.html.raw(&template.style);
        self.html
            .raw("</style>\n<script type=\"text/javascript\">\n");
        self.html.raw(&template.head_script);
        if let Subject::Story(story) = subject {
            let _ = writeln!(
                self.html.out,
                "var page={{\"id\":{},\"section\":{},\"published\":{},\"zone\":\"z{}\",\"random\":{}}};",
                story.id,
                story.section,
                story.published / 1_000_000,
                story.section * 7,
                story.id % 9973,
            );
        }
        self.html.raw("</script>\n</head>\n<body>");
    }

    fn top(&mut self, subject: Subject<'_>) {
        let labels = &self.language.labels;
        let site = self.now.site;
        let frame = self.now.template.frame;
        if frame == Frame::Full {
            self.html.begin(Role::Cookies);
            self.html.text(labels.cookies[0]);
            self.html.raw(" <button onclick=\"ok()\">");
            self.html.text(labels.cookies[1]);
            self.html.raw("</button>");
            self.html.end();
        }
        self.html.begin(Role::Top);
        self.html.begin(Role::Logo);
        self.html.link("/", "logo", site.name);
        self.html.end();
        if frame == Frame::Full {
            self.html.raw("<form action=\"/search\"><input type=\"text\" name=\"q\"><input type=\"submit\" value=\"");
            self.html.text(labels.search);
            self.html.raw("\"></form>");
        }
        let today = self.language.date(date_of(self.now.day()));
        self.html.block(Role::Byline, &today);
        self.html.end();
        if frame == Frame::Print {
            return;
        }
        self.html.begin(Role::Nav);
        self.html.begin(Role::List);
        self.html.item("/", "nav", labels.home);
        for section in 0..self.language.sections.len() {
            self.html.item(
                &front(site, section),
                "nav",
                self.language.sections[section].0,
            );
        }
        self.html.end();
        self.html.end();
        if frame == Frame::Short {
            return;
        }
        if let Subject::Story(&Story { section, .. }) | Subject::Front(section) = subject {
            // Each section has its own menu.
            let dice = &mut self.now.dice("submenu", section as i64);
            self.html.begin(Role::List);
            for topic in dice.some(self.language.topics, 4) {
                self.html.item(
                    &format!("{}?topic={}", front(site, section), dice.below(99)),
                    "subnav",
                    topic,
                );
            }
            self.html.end();
        }
    }

    fn story(&mut self, story: &Story) {
        let labels = &self.language.labels;
        self.html.begin(Role::Article);
        self.html.block(Role::Headline, &story.title);
        let published = labels
            .published
            .replace("{date}", &self.language.date(story.date));
        let minute = story.published.rem_euclid(DAY) / 60_000_000;
        let published = match self.now.template.byline {
            Byline::Date => published,
            Byline::DateAndTime => format!("{published}, {}:{:02}", minute / 60, minute % 60),
        };
        self.html.begin(Role::Byline);
        self.html.text(&labels.by.replace("{name}", &story.author));
        self.html.raw(" <span>");
        self.html.text(&published);
        self.html.raw("</span>");
        if self.now.site.comments > 0 {
            let count = self.comments_of(story).len().to_string();
            let text = labels.comment_count.replace("{count}", &count);
            self.html.raw(" <span>");
            self.html.link("#comments", "count", &text);
            self.html.raw("</span>");
        }
        self.html.end();
        self.html.begin(Role::Figure);
        let _ = write!(
            self.html.out,
            "<img src=\"/img/{}/{}.jpg\" width=\"460\" height=\"300\" alt=\"\">",
            story.date, story.id
        );
        if story.id % 3 == 0 {
            self.html.block(Role::Caption, &story.caption);
        }
        self.html.end();
        self.html.begin(Role::Body);
        self.body(story);
        self.html.end();
        self.html.end();
        for module in &self.now.template.below {
            self.module(*module, Subject::Story(story));
        }
        if self.now.site.comments > 0 && self.now.template.frame == Frame::Full {
            self.comments(story);
        }
    }

    pub(crate) fn body(&mut self, story: &Story) {
        let mut in_list = false;
        for (position, block) in story.blocks.iter().enumerate() {
            let item = matches!(block, Block::Item(_));
            match (in_list, item) {
                (false, true) => self.html.begin(Role::List),
                (true, false) => self.html.end(),
                _ => {}
            }
            in_list = item;
            match block {
                Block::Paragraph(text) => self.paragraph(text, story, position),
                Block::Subhead(text) => self.html.block(Role::Subhead, text),
                Block::Quote(text) => self.html.block(Role::Quote, text),
                Block::Item(text) => self.html.block(Role::Item, text),
            }
            if position == 2 {
                self.html
                    .raw("<div class=\"ad\"><script>ad('mid',300,250);</script></div>");
            }
        }
        if in_list {
            self.html.end();
        }
    }

    fn paragraph(&mut self, text: &str, story: &Story, position: usize) {
        match self.now.template.paragraphs {
            Paragraphs::Element => self.html.begin(Role::Paragraph),
            Paragraphs::Boxes => self.html.begin(Role::Box),
            Paragraphs::Breaks => self.html.raw("<br>\n"),
        }
        // Some words are links or emphasised.
        let (start, end) = stressed(text, story.number + position);
        let (before, marked, after) = (&text[..start], &text[start..end], &text[end..]);
        self.html.text(before);
        match (story.number + position) % 5 {
            _ if marked.is_empty() => {}
            0 => self
                .html
                .link(&front(self.now.site, story.section), "text", marked),
            1 => {
                self.html.raw("<b>");
                self.html.text(marked);
                self.html.raw("</b>");
            }
            2 => {
                self.html.raw("<em><b>");
                self.html.text(marked);
                self.html.raw("</em></b>");
            }
            _ => self.html.text(marked),
        }
        self.html.text(after);
        match self.now.template.paragraphs {
            Paragraphs::Element | Paragraphs::Boxes => self.html.end(),
            Paragraphs::Breaks => self.html.raw("<br>"),
        }
    }

    /// Returns the comments at this moment: one more for every day since the first fetch.
    pub(crate) fn comments_of<'s>(&self, story: &'s Story) -> &'s [Comment] {
        let later = (self.now.at - story.fetched) / DAY;
        let count = story.first_comments + later.unsigned_abs() as usize;
        &story.comments[..count.min(story.comments.len())]
    }

    fn comments(&mut self, story: &Story) {
        let labels = &self.language.labels;
        self.html.begin(Role::Comments);
        self.html.block(Role::BoxTitle, labels.comments);
        for comment in self.comments_of(story) {
            self.html.begin(Role::Comment);
            let minute = comment.written.rem_euclid(DAY) / 60_000_000;
            let when = self.language.date(date_of(comment.written.div_euclid(DAY)));
            self.html.begin(Role::CommentName);
            self.html.text(&comment.name);
            self.html.raw(" <span>");
            self.html
                .text(&format!("{when} {}:{:02}", minute / 60, minute % 60));
            self.html.raw("</span>");
            self.html.end();
            self.html.block(Role::Paragraph, &comment.text);
            self.html
                .link(&format!("{}#reply", story.url), "reply", labels.reply);
            self.html.end();
        }
        self.html.block(Role::Paragraph, labels.comment_rules);
        self.html.end();
    }

    fn front(&mut self, section: usize) {
        let now = self.now;
        self.html
            .block(Role::Headline, self.language.sections[section].0);
        for story in now
            .recent(Subject::Front(section))
            .filter(|story| story.section == section)
            .take(8)
        {
            self.teaser(story);
        }
    }

    fn list(&mut self, date: NaiveDate) {
        let now = self.now;
        self.html.block(Role::Headline, &self.language.date(date));
        for story in now
            .recent(Subject::List(date))
            .filter(|story| story.date == date)
            .take(15)
        {
            self.teaser(story);
        }
    }

    fn side(&mut self, subject: Subject<'_>) {
        if !self.now.site.kind.has_boxes() {
            return;
        }
        self.html.begin(Role::Side);
        for module in &self.now.template.beside {
            self.module(*module, subject);
        }
        self.html.end();
    }

    fn foot(&mut self) {
        let labels = &self.language.labels;
        self.html.begin(Role::Foot);
        self.html.begin(Role::List);
        for label in labels.footer {
            self.html.item("/about", "foot", label);
        }
        self.html.end();
        self.html.block(
            Role::Paragraph,
            &labels.rights.replace("{site}", self.now.site.name),
        );
        self.html.end();
        self.html.raw("\n<script type=\"text/javascript\">\n");
        self.html.raw(&self.now.template.foot_script);
        self.html.raw("</script>\n</body>\n</html>\n");
    }
}

/// Returns the range of a word, or of some characters in a text without spaces. It is
/// empty if the text is short.
fn stressed(text: &str, throw: usize) -> (usize, usize) {
    let place = |nth: usize| {
        let mut places = text.char_indices().map(|(at, _)| at);
        places.nth(nth).unwrap_or(text.len())
    };
    if !text.contains(' ') {
        let start = 2 + throw % 7;
        return (place(start), place(start + 2 + throw % 3));
    }
    let after = text[place(10 + throw % 30)..].find(' ');
    let start = after.map_or(text.len(), |space| place(10 + throw % 30) + space + 1);
    let end = text[start..]
        .find(' ')
        .map_or(text.len(), |length| start + length);
    (start, end)
}

pub(crate) fn date_of(day: i64) -> NaiveDate {
    let epoch = NaiveDate::default();
    let date = epoch.checked_add_signed(TimeDelta::days(day));
    date.unwrap_or(epoch)
}
