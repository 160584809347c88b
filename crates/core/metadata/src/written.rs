//! Dates as people read them.

use std::borrow::Cow;
use std::ops::Range;

use chrono::NaiveDate;

use crate::moment::Moment;
use crate::months::{self, NAME_WORDS};
use crate::reading::{Order, Reading};

/// Bytes of a text that are searched for a date.
const TEXT_BYTES: usize = 400;

/// A year of two digits from here on is of the nineties.
const FIRST_SHORT_YEAR: u32 = 90;

/// How far the Buddhist calendar of Thailand is ahead.
const BUDDHIST: u32 = 543;

/// A piece of a text that can be part of a date.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    /// A number and its count of digits.
    Number(u32, usize),
    Month(u32),
    /// One of `-/.` between two numbers, or 年, 月, 日 and their like.
    Mark(char),
    Other,
}

/// A date, and whether it stands only where nothing else is around it: `12.11.16` can be a version.
struct Found {
    date: NaiveDate,
    tokens: usize,
    short: bool,
}

/// How a date writes its year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Years {
    Full,
    /// With two digits, if the date stands for itself.
    Short,
}

/// The first date in a text: `March 3, 2012`, `3. März 2012`, `2012年3月3日`, `03.03.12`, `3 मार्च 2012`.
pub(crate) fn written(text: &str, reading: &Reading, years: Years) -> Option<Moment> {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES)];
    let text = plain(text);
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (tokens, ranges) = tokens(&text, reading);
    let buddhist =
        reading.languages.first().is_some_and(|of| of == "th") || text.chars().any(is_thai);
    (0..tokens.len()).find_map(|at| {
        let found = date_at(&tokens[at..], reading.order, buddhist)?;
        let last = at + found.tokens - 1;
        let (start, end) = (ranges[at].start, ranges[last].end);
        let alone = || alone(&text[..start], &text[start..end], &text[end..]);
        let is_date = match years {
            Years::Full => !found.short,
            Years::Short => !found.short || alone(),
        };
        is_date.then(|| Moment::day(found.date))
    })
}

fn date_at(tokens: &[Token], order: Order, buddhist: bool) -> Option<Found> {
    use Token::{Mark, Month, Number};
    let dated = |year: u32, month: u32, day: u32, tokens: usize| {
        let year = if buddhist && year > 2400 {
            year - BUDDHIST
        } else {
            year
        };
        let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
        Some(Found {
            date,
            tokens,
            short: false,
        })
    };
    let short = |year: u32, month: u32, day: u32, tokens: usize| {
        let century = match year {
            _ if buddhist => 2500,
            FIRST_SHORT_YEAR.. => 1900,
            _ => 2000,
        };
        let found = dated(century + year, month, day, tokens)?;
        Some(Found {
            short: true,
            ..found
        })
    };
    match *tokens {
        // 3 March 2012, March 3 2012, 2012 March 3
        [Number(day, 1..=2), Month(month), Number(year, 4), ..]
        | [Month(month), Number(day, 1..=2), Number(year, 4), ..]
        | [Number(year, 4), Month(month), Number(day, 1..=2), ..] => dated(year, month, day, 3),
        // 3. März 2012, 3-mart 2012, 2012. március 3.
        [Number(day, 1..=2), Mark('.' | '-'), Month(month), Number(year, 4), ..]
        | [Number(year, 4), Mark('.'), Month(month), Number(day, 1..=2), ..] => {
            dated(year, month, day, 4)
        }
        // 2012 ж. 3 наурыз, but not 2012. 3 March 2013
        [Number(year, 4), Mark('.'), Number(day, 1..=2), Month(month), ref rest @ ..]
            if !matches!(rest, [Number(_, 4), ..]) =>
        {
            dated(year, month, day, 4)
        }
        // 3-Mar-2012, 2012-Mar-03, Mar/3/2012, 2012. gada 3. martā
        [Number(day, 1..=2), Mark(_), Month(month), Mark(_), Number(year, 4), ..]
        | [Number(year, 4), Mark('-' | '/'), Month(month), Mark('-' | '/'), Number(day, 1..=2), ..]
        | [Month(month), Mark('-' | '/'), Number(day, 1..=2), Mark('-' | '/'), Number(year, 4), ..]
        | [Number(year, 4), Mark('.'), Number(day, 1..=2), Mark('.'), Month(month), ..]
        // 2012年3月3日, 2012. 3. 3., 2012-03-03
        | [Number(year, 4), Mark('年' | '년'), Number(month, 1..=2), Mark('月' | '월'), Number(day, 1..=2), ..]
        | [Number(year, 4), Mark('.'), Number(month, 1..=2), Mark('.'), Number(day, 1..=2), ..]
        | [Number(year, 4), Mark('-'), Number(month, 1..=2), Mark('-'), Number(day, 1..=2), ..]
        | [Number(year, 4), Mark('/'), Number(month, 1..=2), Mark('/'), Number(day, 1..=2), ..] => {
            dated(year, month, day, 5)
        }
        [Number(first, 2), Mark(a @ ('-' | '/' | '.')), Number(second, 1..=2), Mark(b), Number(third, 1..=2), ..]
            if a == b && order == Order::YearFirst =>
        {
            short(first, second, third, 5)
        }
        [Number(first, 1..=2), Mark(a @ ('-' | '/' | '.')), Number(second, 1..=2), Mark(b), Number(year, digits), ..]
            if a == b =>
        {
            let (month, day) = month_and_day(first, second, a, order)?;
            match digits {
                4 => dated(year, month, day, 5),
                // Americans write 3.4.12 too, and mean March.
                2 if a == '.' && order == Order::MonthFirst && day <= 12 && day != month => None,
                2 => short(year, month, day, 5),
                _ => None,
            }
        }
        // 3-Mar-12, 3. März 12, 3 Mar 12
        [Number(day, 1..=2), Mark('-' | '/' | '.'), Month(month), Mark('-' | '/'), Number(year, 2), ..] => {
            short(year, month, day, 5)
        }
        [Number(day, 1..=2), Mark('.'), Month(month), Number(year, 2), ..] => short(year, month, day, 4),
        [Number(day, 1..=2), Month(month), Number(year, 2), ..] => short(year, month, day, 3),
        _ => None,
    }
}

/// The month and the day of the numbers in `3/4`, unless both readings are possible and nothing decides.
fn month_and_day(first: u32, second: u32, mark: char, order: Order) -> Option<(u32, u32)> {
    let only_day_first = first > 12 || mark == '.';
    match order {
        _ if second > 12 || first == second => Some((first, second)),
        Order::MonthFirst if !only_day_first => Some((first, second)),
        Order::Unknown if !only_day_first => None,
        _ => Some((second, first)),
    }
}

/// Whether a date with a year of two digits stands for itself: it is neither inside of a longer number nor
/// before a title that it numbers, and nothing is before it but a word that announces a date.
fn alone(before: &str, date: &str, after: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let goes_on = after.trim_start_matches(['.', '-', '/', ':']) != after
        && after[1..].starts_with(char::is_alphanumeric);
    if goes_on || after.starts_with(|c: char| c.is_alphanumeric() && !is_cjk(c)) {
        return false;
    }
    // Versions and sections have no slashes.
    if date.contains('/') {
        return !before.ends_with(|c: char| c.is_alphanumeric());
    }
    let word = last
        .trim_matches(|c: char| !c.is_alphabetic())
        .to_lowercase();
    let announced = last.is_empty()
        || last.ends_with([':', '|', '•', '·', '(', ',', '–', '—'])
        || last == "-"
        || AROUND.contains(&word.as_str())
        || months::of_date(&word);
    let next = after.split_whitespace().next().unwrap_or_default();
    let ends = !next.starts_with(char::is_alphanumeric)
        || next.contains(':')
        || next.starts_with(is_cjk)
        || AROUND.contains(&next.trim_end_matches('.').to_lowercase().as_str());
    announced && !last.contains(|c: char| c.is_ascii_digit()) && ends
}

/// Words before or after a date.
const AROUND: [&str; 28] = [
    "on",
    "am",
    "vom",
    "den",
    "le",
    "du",
    "el",
    "del",
    "il",
    "em",
    "op",
    "od",
    "dnia",
    "stand",
    "date",
    "posted",
    "published",
    "updated",
    "от",
    "в",
    "um",
    "uhr",
    "at",
    "by",
    "von",
    "à",
    "kl",
    "г",
];

/// A text with the digits of all scripts as ASCII, and without the signs that turn its direction.
fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let kept = text.chars().filter_map(|c| match c {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        '٫' | '．' | '。' => Some('.'),
        '／' => Some('/'),
        '‐' | '‑' | '－' | '−' => Some('-'),
        c => Some(digit(c).unwrap_or(c)),
    });
    kept.collect::<String>().into()
}

/// The ASCII digit of a digit of another script.
fn digit(c: char) -> Option<char> {
    /// Zeros of scripts; nine digits are after each.
    const ZEROS: [char; 18] = [
        '٠', '۰', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '໐', '༠', '၀', '០', '᠐', '０',
    ];
    let zero = ZEROS
        .iter()
        .find(|zero| (**zero..='\u{ffff}').contains(&c) && c as u32 - (**zero as u32) < 10)?;
    char::from_digit(c as u32 - *zero as u32, 10)
}

/// A letter, or a sign that belongs to one, as the vowels of India do.
fn is_letter(c: char) -> bool {
    c.is_alphabetic()
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}')
        || (matches!(c, '\u{900}'..='\u{dff}' | '\u{e31}'..='\u{e4e}' | '\u{eb1}'..='\u{ecd}' | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17dd}')
            && !c.is_numeric()
            && !matches!(c, '।' | '॥' | '၊' | '။' | '។'))
        || matches!(c, '\u{200c}' | '\u{200d}')
}

fn is_thai(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}')
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// The tokens of a text, each with its place.
fn tokens(text: &str, reading: &Reading) -> (Vec<Token>, Vec<Range<usize>>) {
    let mut tokens: Vec<Token> = Vec::new();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = if c.is_ascii_digit() {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number = Token::Number(rest[..length].parse().unwrap_or(0), length);
            let length = length + ordinal(&rest[length..]);
            let after_month = tokens.last() == Some(&Token::Other) && is_month_word(&text[..at]);
            match number {
                // Tháng 3
                Token::Number(month @ 1..=12, _) if after_month => {
                    tokens.pop();
                    ranges.pop();
                    (Some(Token::Month(month)), length)
                }
                number => (Some(number), length),
            }
        } else if matches!(c, '年' | '月' | '日' | '년' | '월' | '일') {
            (Some(Token::Mark(c)), c.len_utf8())
        } else if is_letter(c) {
            word(rest, reading)
        } else if matches!(c, '-' | '/' | '.') {
            // The dot of "Mar. 3" is not a separator.
            let of_month = c == '.' && matches!(tokens.last(), Some(Token::Month(_)));
            ((!of_month).then_some(Token::Mark(c)), 1)
        } else {
            (None, c.len_utf8())
        };
        if let Some(token) = token {
            tokens.push(token);
            ranges.push(at..at + length);
        }
        at += length;
    }
    (tokens, ranges)
}

/// Bytes of the ending of an ordinal: 1st, 2nd, 3rd, 4th, 1er, 1º, 3-го.
fn ordinal(after: &str) -> usize {
    let endings = [
        "st", "nd", "rd", "th", "er", "re", "º", "ª", "°", "e", "de", "ste", "r", ":e", "-го",
        "-е", "-ге",
    ];
    let ends = |ending: &&&str| {
        let rest = after.strip_prefix(**ending);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    endings.iter().find(ends).map_or(0, |ending| ending.len())
}

/// Whether a text ends with the word that Vietnamese writes before the number of a month.
fn is_month_word(before: &str) -> bool {
    let word = before.trim_end().to_lowercase();
    word.ends_with("tháng") || word.ends_with(" thg")
}

/// The token of the words at the begin of a text, and their length. Words such as "de" are no token.
fn word(text: &str, reading: &Reading) -> (Option<Token>, usize) {
    let mut ends: [usize; NAME_WORDS] = [0; NAME_WORDS];
    let mut count = 0;
    let mut begin = 0;
    while count < NAME_WORDS {
        let length = word_length(&text[begin..]);
        if length == 0 {
            break;
        }
        ends[count] = begin + length;
        count += 1;
        // Names of several words are not of English.
        if text[..begin + length].is_ascii() || !text[begin + length..].starts_with(' ') {
            break;
        }
        begin += length + 1;
    }
    for end in ends[..count].iter().rev() {
        if let Some(month) = months::month(&text[..*end], &reading.languages) {
            return (Some(Token::Month(month)), *end);
        }
    }
    let end = ends[0];
    let word = &text[..end];
    // In Hebrew, "on March" is one word.
    if let Some(name) = word.strip_prefix(['ב', 'ל'])
        && let Some(month) = months::month(name, &reading.languages)
    {
        return (Some(Token::Month(month)), end);
    }
    (mark_of(word), end)
}

/// The token of a word that is not a month.
fn mark_of(word: &str) -> Option<Token> {
    match word {
        "оны" => Some(Token::Mark('年')),
        "сарын" => Some(Token::Mark('月')),
        // "3 de marzo de 2012", "3rd of March", "2012. gada 3. martā", "ngày 3 tháng 3 năm 2012"
        "de" | "del" | "d" | "of" | "the" | "den" | "г" | "T" | "gada" | "m" | "e" | "ta" | "թ"
        | "năm" | "ngày" | "ko" | "พ.ศ." | "ค.ศ." | "yil" | "ж" => None,
        _ => Some(Token::Other),
    }
}

/// Bytes of the word at the begin of a text. The short names of Thai and Lao have dots inside: ม.ค.
fn word_length(text: &str) -> usize {
    let mut thai = false;
    let end = text.find(|c: char| {
        let inside = is_letter(c) || (thai && c == '.');
        thai = matches!(c, '\u{e00}'..='\u{eff}');
        !inside
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::{Years, written};
    use crate::reading::Reading;

    fn read(text: &str, language: &str) -> Option<String> {
        let language = Some(language).filter(|language| !language.is_empty());
        written(text, &Reading::new(language, None, || None), Years::Short)
            .map(|moment| moment.to_string())
    }

    #[test]
    fn dates_are_read_in_their_languages() {
        for text in [
            "Posted on March 3rd, 2012 by Ann",
            "3 March 2012",
            "Mar. 3, 2012",
            "Veröffentlicht am 3. März 2012",
            "Publié le 3 mars 2012 à 10:00",
            "3 de marzo de 2012",
            "3 marzo 2012",
            "3 de março de 2012",
            "3 maart 2012",
            "3 marca 2012 r.",
            "3 марта 2012 г.",
            "3-го марта 2012",
            "3 Μαρτίου 2012",
            "2012年3月3日 10:00",
            "2012. 3. 3.",
            "03.03.2012",
            "2012-03-03",
            "3-Mar-2012",
            "3 Maret 2012",
            "ngày 3 tháng 3 năm 2012",
            "3 Tháng Ba, 2012",
            "3 مارس 2012",
            "٣ مارس ٢٠١٢",
            "3 آذار 2012",
            "3 मार्च 2012",
            "३ मार्च २०१२",
            "৩ মার্চ, ২০১২",
            "2012. március 3.",
            "3 martie 2012",
            "3. maaliskuuta 2012",
            "3. mars 2012",
            "3 март 2012",
            "2012 m. kovo 3 d.",
            "2012. gada 3. marts",
            "3 במרץ 2012",
            "3 มีนาคม 2555",
            "3 มี.ค. 2555",
            "3 de març de 2012",
        ] {
            assert_eq!(read(text, "fr").as_deref(), Some("2012-03-03"), "{text}");
        }
    }

    #[test]
    fn the_order_of_day_and_month_is_that_of_the_language() {
        for (text, language, expected) in [
            ("3/4/2012", "fr", Some("2012-04-03")),
            ("3/4/2012", "en-US", Some("2012-03-04")),
            ("13/4/2012", "en-US", Some("2012-04-13")),
            ("3.4.2012", "en-US", Some("2012-04-03")),
            ("3/4/2012", "", None),
            ("4/4/2012", "", Some("2012-04-04")),
            ("13/4/2012", "", Some("2012-04-13")),
            ("4/13/2012", "", Some("2012-04-13")),
            ("12-04-03", "zh", Some("2012-04-03")),
            ("12. 4. 3.", "ko", Some("2012-04-03")),
            ("3.4.12", "en-US", None),
            ("3.24.12", "en-US", Some("2012-03-24")),
        ] {
            assert_eq!(
                read(text, language).as_deref(),
                expected,
                "{text} {language}"
            );
        }
    }

    #[test]
    fn years_of_two_digits_are_read_where_a_date_stands_for_itself() {
        for (text, language) in [
            ("3.4.12", "de"),
            ("03.04.12, 10:12 Uhr", "de"),
            ("Stand: 3.4.12", "de"),
            ("Dienstag, 03.04.12", "de"),
            ("4/3/12", "en-US"),
            ("Posted on 4/3/12 by Ann", "en-US"),
            ("3-Apr-12", "en"),
            ("03 Apr 12", "en"),
        ] {
            assert_eq!(
                read(text, language).as_deref(),
                Some("2012-04-03"),
                "{text}"
            );
        }
        assert_eq!(read("3.4.98", "de").as_deref(), Some("1998-04-03"));
        for text in [
            "Version 3.4.12",
            "Firefox 3.4.12",
            "3.4.12.1",
            "3 April 12:30",
            "192.3.4.12",
            "3/4/12",
            "3.4.12 Nullable types",
        ] {
            assert_eq!(read(text, ""), None, "{text}");
        }
    }
}
