//! The page on its way through the tokenizer.
//!
//! The tokenizer tells when a tag has ended, not when one has begun, and its cost
//! grows with the square of the attributes of one tag. So a page is read in one
//! of two ways, with the same result.
//!
//! The quick one feeds it in slices and gives up as soon as two of them in a row
//! bring no token, a limit is met, or the page ends in an irregular way. The
//! careful one, a seventh slower, then starts over: it feeds the text up to and
//! with the next `<` each time. At that point nothing is pending in the tokenizer,
//! and if the feed after it yields no token, a tag or comment has begun exactly
//! there.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};

use crate::BlockOptions;
use crate::attributes::Attributes;
use crate::limits::{Limit, Warning};
use crate::sink::{BlockSink, Reader};

/// Bytes fed to the tokenizer at a time.
pub(crate) const SLICE: usize = 16 << 10;

/// When to stop reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    End,
    Title,
}

/// Tokenises a page. The warning says where and why its reading ended early. The
/// result does not depend on `slice`.
pub(crate) fn read(
    page: &str,
    options: &BlockOptions,
    until: Until,
    slice: usize,
) -> (Reader, Option<Warning>) {
    // A title is mostly found before the quick way has read its first slice.
    let quick = if until == Until::End {
        quick(page, options, slice)
    } else {
        None
    };
    match quick {
        Some(reader) => {
            let warning = reader
                .open_raw_element()
                .map(|inside| Warning::Truncated { inside });
            (reader, warning)
        }
        None => careful(page, options, until, slice),
    }
}

fn tokenizer(options: &BlockOptions) -> Tokenizer<BlockSink> {
    let opts = TokenizerOpts {
        // Decoding took the byte order mark away. The tokenizer would drop one
        // at the start of any slice.
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    Tokenizer::new(BlockSink::new(options), opts)
}

/// Reads a page to its end; gives up where there might be something to tell.
fn quick(page: &str, options: &BlockOptions, slice: usize) -> Option<Reader> {
    let tokenizer = tokenizer(options);
    let queue = BufferQueue::default();
    // Two whole slices fit into any tag that is too long.
    let slice = slice.min(options.limits.tag_bytes / 4).max(1);
    let mut at = 0;
    let mut quiet = 0;
    while at < page.len() {
        let end = page.ceil_char_boundary(at + slice);
        queue.push_back(StrTendril::from_slice(&page[at..end]));
        // It only stops for scripts that are to be run, and the sink names none.
        let _ = tokenizer.feed(&queue);
        quiet = if tokenizer.sink.take_progress() {
            0
        } else {
            quiet + 1
        };
        if quiet == 2 || tokenizer.sink.cut().is_some() {
            return None;
        }
        at = end;
    }
    tokenizer.sink.take_oddity();
    tokenizer.end();
    let regular = !tokenizer.sink.take_oddity();
    let mut reader = tokenizer.sink.into_reader();
    reader.finish();
    (regular && reader.cut.is_none()).then_some(reader)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Markup {
    Tag,
    Comment,
}

pub(crate) fn careful(
    page: &str,
    options: &BlockOptions,
    until: Until,
    slice: usize,
) -> (Reader, Option<Warning>) {
    let tokenizer = tokenizer(options);
    let queue = BufferQueue::default();
    let tag_bytes = options.limits.tag_bytes.max(1);
    // A piece never reaches past the last byte a tag may have.
    let mut window = Window::new(page, slice.min(tag_bytes - 1));
    let mut at = 0;
    // The last `<` before `at`.
    let mut angle = 0;
    // Markup that began at this byte and has not ended.
    let mut open: Option<(usize, Markup)> = None;
    let mut cut = None;

    while at < page.len() && cut.is_none() && !(until == Until::Title && tokenizer.sink.has_title())
    {
        let latest = open.map_or(usize::MAX, |(start, _)| start.saturating_add(tag_bytes));
        let piece = window.next(at, if latest > at { latest } else { usize::MAX });
        let end = at + piece.len();
        let after_angle = at > 0 && at == angle + 1 && page.as_bytes()[angle] == b'<';
        queue.push_back(piece);
        let _ = tokenizer.feed(&queue);
        if tokenizer.sink.take_progress() {
            open = None;
        } else if open.is_none() && after_angle {
            open = markup_at(&page.as_bytes()[at..]).map(|markup| (angle, markup));
        }
        cut = tokenizer
            .sink
            .cut()
            .map(|limit| (limit, angle))
            .or(match open {
                // Once per tag: the piece that reaches this length.
                Some((start, Markup::Tag))
                    if end - start >= tag_bytes
                        && at - start < tag_bytes
                        && bytes_but_values(&page.as_bytes()[start..]) > tag_bytes =>
                {
                    Some((Limit::TagBytes, start))
                }
                _ => None,
            });
        if page.as_bytes()[end - 1] == b'<' {
            angle = end - 1;
        }
        at = end;
    }
    if cut.is_none() && at == page.len() {
        tokenizer.end();
    }
    let mut reader = tokenizer.sink.into_reader();
    reader.finish();
    let inside = reader
        .open_raw_element()
        .or(open.map(|(_, markup)| match markup {
            Markup::Tag => "tag",
            Markup::Comment => "comment",
        }));
    let warning = match cut.or(reader.cut.map(|limit| (limit, angle))) {
        Some((limit, at)) => Some(Warning::Cut {
            limit,
            at,
            of: page.len(),
        }),
        None => inside.map(|inside| Warning::Truncated { inside }),
    };
    (reader, warning)
}

/// The length of a tag without the values of its attributes: a picture written
/// into its `src` costs the tokenizer no more than its bytes.
fn bytes_but_values(tag: &[u8]) -> usize {
    let name = tag
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || *byte == b'>');
    let mut attributes = Attributes::at(tag, name.unwrap_or(tag.len()));
    let values: usize = attributes.by_ref().map(|(_, value)| value.len()).sum();
    attributes.position() + 1 - values
}

/// What begins after a `<`, if no token comes of it at once.
fn markup_at(after: &[u8]) -> Option<Markup> {
    match after {
        [b'/', b'>', ..] => None,
        [b'/'] => Some(Markup::Tag),
        [b'/', letter, ..] | [letter, ..] if letter.is_ascii_alphabetic() => Some(Markup::Tag),
        [b'/' | b'!' | b'?', ..] => Some(Markup::Comment),
        _ => None,
    }
}

/// A page in pieces that share the memory of larger slices.
struct Window<'p> {
    page: &'p str,
    slice: usize,
    start: usize,
    buffer: StrTendril,
}

impl<'p> Window<'p> {
    fn new(page: &'p str, slice: usize) -> Self {
        Self {
            page,
            slice: slice.max(1),
            start: 0,
            buffer: StrTendril::new(),
        }
    }

    /// The piece from `at` up to and with the next `<`; at most up to `latest`, to
    /// the character at that byte.
    fn next(&mut self, at: usize, latest: usize) -> StrTendril {
        if at == self.start + self.buffer.len() {
            let end = self.page.ceil_char_boundary(at + self.slice);
            self.start = at;
            self.buffer = StrTendril::from_slice(&self.page[at..end]);
        }
        let stop = (self.start + self.buffer.len()).min(self.page.ceil_char_boundary(latest));
        let stop = self.page[at..stop]
            .find('<')
            .map_or(stop, |angle| at + angle + 1);
        self.buffer
            .subtendril((at - self.start) as u32, (stop - at) as u32)
    }
}
