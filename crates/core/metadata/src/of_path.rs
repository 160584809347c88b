//! Dates in addresses.

use chrono::NaiveDate;

use crate::machine::digits;
use crate::moment::Moment;
use crate::months;

/// The date in the path of a URL: `/2012/03/01/`, `/2012-03-01-title`, `/20120301/`. With `in_title`, also
/// `/2012/03/01-title`, `/title-2012-03-01` and `/title-20120301`: in `/2012/03/10-things`, the number is
/// not a day.
pub(crate) fn of_path(path: &str, in_title: bool) -> Option<Moment> {
    let segments: Vec<&str> = path.split('/').collect();
    let of_segment = |(at, segment): (usize, &&str)| {
        of_segments(&segments[at..], in_title).or_else(|| of_begin(segment, in_title))
    };
    let mut in_order = segments.iter().enumerate();
    let date = in_order.find_map(of_segment).or_else(|| {
        let mut of_ends = segments.iter().filter_map(|segment| of_end(segment));
        of_ends.next().filter(|_| in_title)
    });
    date.map(Moment::day)
}

/// The date that several segments make: `2012/03/01`, `2012/mar/01`, `2012/0301`, `201203/01`, `2012-03/01`.
fn of_segments(segments: &[&str], in_title: bool) -> Option<NaiveDate> {
    let number = |text: &str, most: usize| {
        let (number, rest) = digits(text, 1..=most)?;
        let is_whole = rest.is_empty() || rest.starts_with('.');
        (is_whole || (in_title && rest.starts_with(['-', '_']))).then_some(number)
    };
    let month = |text: &str| number(text, 2).or_else(|| months::month(text, &[]));
    let is_year = |text: &str| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    match *segments {
        [year, of_year, day, ..]
            if is_year(year) && month(of_year).is_some() && number(day, 2).is_some() =>
        {
            date(year, month(of_year)?, number(day, 2)?)
        }
        [year, day, ..] if is_year(year) && all_digits(day) == 4 => {
            date(year, day[..2].parse().ok()?, day[2..4].parse().ok()?)
        }
        [month, day, ..] if all_digits(day) == 2 => {
            let year = month.get(..4).filter(|year| is_year(year))?;
            let of_year = month[4..].trim_start_matches('-');
            let of_year = Some(of_year).filter(|of_year| of_year.len() == 2)?;
            date(year, of_year.parse().ok()?, day[..2].parse().ok()?)
        }
        _ => None,
    }
}

/// The count of digits of a segment that has nothing else, beside an ending such as `.html`.
fn all_digits(segment: &str) -> usize {
    let (number, _) = segment.split_once('.').unwrap_or((segment, ""));
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { number.len() } else { 0 }
}

/// The date at the begin of a segment: `2012-03-01-title`, `20120301_1.html`, `t20120301_1.html`.
fn of_begin(segment: &str, in_title: bool) -> Option<NaiveDate> {
    // Software of China writes a letter before the date of a page.
    let segment = segment.strip_prefix('t').unwrap_or(segment);
    // Archives of blogs are `2012_03_01_archive.html`: a week's.
    let of_archive = segment.get(4..5) == Some("_") && !in_title;
    separated(segment)
        .filter(|_| !of_archive)
        .or_else(|| compact(segment))
        .or_else(|| day_first(segment))
}

/// The date at the end of a segment: `title-2012-03-01.html`, `title_20120301`.
fn of_end(segment: &str) -> Option<NaiveDate> {
    let name = segment.split('.').next()?;
    let begins = name
        .match_indices(['-', '_'])
        .map(|(at, _)| &name[at + 1..]);
    let whole = |begin: &str| {
        let of_length = |length: usize| begin.len() == length;
        let separated = separated(begin).or_else(|| day_first(begin));
        let separated = separated.filter(|_| of_length(10));
        separated.or_else(|| compact(begin).filter(|_| of_length(8)))
    };
    begins.filter_map(whole).next()
}

/// `29-10-2012` at the begin of a text, with a day above 12 or equal to the month, and no digit behind it.
fn day_first(text: &str) -> Option<NaiveDate> {
    let [day, month, year] = marked(text, [2, 2, 4])?;
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    (day > 12 || day == month).then_some(date)
}

/// `2012-03-01` or `2012_03_01` at the begin of a text, and no digit behind it.
fn separated(text: &str) -> Option<NaiveDate> {
    let [year, month, day] = marked(text, [4, 2, 2])?;
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
}

/// Three numbers of so many digits with one mark between them, at the begin of a text, and no digit behind them.
fn marked(text: &str, lengths: [usize; 3]) -> Option<[u32; 3]> {
    let [first, second, third] = lengths.map(|length| length..=length);
    let (first, rest) = digits(text, first)?;
    let mark = rest.chars().next().filter(|c| matches!(c, '-' | '_'))?;
    let (second, rest) = digits(&rest[1..], second)?;
    let (third, rest) = digits(rest.strip_prefix(mark)?, third)?;
    (!rest.starts_with(|c: char| c.is_ascii_digit())).then_some([first, second, third])
}

/// `20120301` at the begin of a text: the whole of a segment, or before a mark.
fn compact(text: &str) -> Option<NaiveDate> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[count..];
    if count != 8 || !(rest.is_empty() || rest.starts_with(['-', '_', '.'])) {
        return None;
    }
    date(
        &text[..4],
        text[4..6].parse().ok()?,
        text[6..8].parse().ok()?,
    )
}

fn date(year: &str, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year.parse().ok()?, month, day)
}

#[cfg(test)]
mod tests {
    use super::of_path;

    fn read(path: &str, in_title: bool) -> Option<String> {
        of_path(path, in_title).map(|moment| moment.to_string())
    }

    #[test]
    fn dates_of_paths_are_whole() {
        for path in [
            "/blog/2012/03/01/tea.html",
            "/2012/3/1/tea",
            "/2012/mar/01/tea",
            "/2012/mars/01/tea",
            "/posts/2012-03-01-tea",
            "/20120301/tea.html",
            "/news/20120301.html",
            "/news/20120301-tea",
            "/news/t20120301_812.htm",
            "/news/2012/0301/c12-345.html",
            "/news/2012-03/01/c_12345.htm",
            "/news/201203/01/12345.html",
        ] {
            assert_eq!(read(path, false).as_deref(), Some("2012-03-01"), "{path}");
        }
        for path in [
            "/2012/03/",
            "/2012/03/tea",
            "/2012/03/10-reasons-for-tea",
            "/2012/1301/tea",
            "/id/20129901",
            "/id/201203011",
            "/2012-03-011",
            "/tea-2012-03-01",
        ] {
            assert_eq!(read(path, false), None, "{path}");
        }
    }

    #[test]
    fn dates_in_titles_are_asked_for() {
        for path in [
            "/2012/03/01-reasons-for-tea",
            "/tea-of-2012-03-01.html",
            "/tea_20120301",
            "/posts/2012_03_01_tea",
        ] {
            assert_eq!(read(path, true).as_deref(), Some("2012-03-01"), "{path}");
        }
        assert_eq!(read("/tea-2012-03-01-green", true), None);
        for path in ["/news/31-12-2012", "/tea-31_12_2012.html"] {
            assert_eq!(read(path, true).as_deref(), Some("2012-12-31"), "{path}");
        }
        // March or January.
        assert_eq!(read("/news/03-01-2012", true), None);
    }
}
