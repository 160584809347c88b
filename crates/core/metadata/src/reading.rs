//! How the dates of a page are read: its languages, and its order of day and month.

use url::Url;

/// The order of the parts of a date in numbers, such as 3/4/2012.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Nothing says whether day or month is first.
    Unknown,
    DayFirst,
    /// As in the United States.
    MonthFirst,
    /// As in China, Hungary or Sweden. If the year is last, the day is first.
    YearFirst,
}

/// What decides between two readings of a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Codes of languages, the most certain first.
    pub(crate) languages: Vec<String>,
    pub(crate) order: Order,
}

impl Reading {
    /// The reading of a page that declares a language (`en-US`, `pt_BR`) at an address. Unless it declares a
    /// region, a date on the page that has one reading decides the order: `shown`.
    pub(crate) fn new(
        declared: Option<&str>,
        address: Option<&Url>,
        shown: impl FnOnce() -> Option<Order>,
    ) -> Self {
        let declared = declared.unwrap_or_default().to_ascii_lowercase();
        let mut parts = declared.split(['-', '_']).map(str::trim);
        let language = parts.next().filter(|of| matches!(of.len(), 2 | 3));
        let language = language.map(current);
        let region = parts.find(|part| part.len() == 2);
        let country = address.and_then(Url::domain).and_then(country);
        let of_country = country.and_then(language_of);
        let order = match (language, region.or(country)) {
            (Some("en") | None, Some(region)) if day_first(region) => Order::DayFirst,
            (Some("en"), _) | (None, Some("us")) => Order::MonthFirst,
            (language, region) => order(language.or(of_country), region),
        };
        let order = match order {
            Order::YearFirst => order,
            order if region.is_some() => order,
            order => shown().unwrap_or(order),
        };
        let languages = [language, of_country].into_iter().flatten();
        Self {
            languages: languages.map(str::to_owned).collect(),
            order,
        }
    }
}

/// The code of a language that is used now.
fn current(language: &str) -> &str {
    match language {
        "no" => "nb",
        "iw" => "he",
        "in" => "id",
        "mo" => "ro",
        "tl" => "fil",
        "sh" => "hr",
        language => language,
    }
}

/// The country of a domain: its last label, where that is a country's.
fn country(domain: &str) -> Option<&str> {
    let last = domain.rsplit('.').next()?;
    match last {
        "uk" => Some("gb"),
        "gov" | "mil" | "edu" => Some("us"),
        // Labels of countries that everybody uses.
        "io" | "co" | "me" | "tv" | "ai" | "cc" | "fm" | "ly" | "to" | "ws" | "gg" | "sh" => None,
        last => Some(last).filter(|last| last.len() == 2),
    }
}

/// The language of a country, if nearly all its pages are in one language.
fn language_of(country: &str) -> Option<&str> {
    let language = match country {
        "at" => "de",
        "by" => "be",
        "cn" | "tw" => "zh",
        "cz" => "cs",
        "dk" => "da",
        "ee" => "et",
        "gr" => "el",
        "il" => "he",
        "ir" => "fa",
        "jp" => "ja",
        "kr" => "ko",
        "rs" => "sr",
        "se" => "sv",
        "si" => "sl",
        "ua" => "uk",
        "vn" => "vi",
        "br" => "pt",
        "ar" | "cl" | "mx" | "pe" | "uy" | "ve" | "ec" | "py" | "bo" => "es",
        "bg" | "de" | "es" | "fi" | "fr" | "hr" | "hu" | "id" | "is" | "it" | "lt" | "lv"
        | "mk" | "nl" | "pl" | "pt" | "ro" | "ru" | "sk" | "th" | "tr" => country,
        _ => return None,
    };
    Some(language)
}

/// Whether a country writes the day first in English.
fn day_first(country: &str) -> bool {
    !matches!(
        country,
        "us" | "ph" | "ca" | "bz" | "pr" | "gu" | "vi" | "as" | "mp" | "um" | "mh"
    )
}

fn order(language: Option<&str>, region: Option<&str>) -> Order {
    match (language, region) {
        (None, None) => Order::Unknown,
        (Some("fil" | "ceb"), _) | (Some("es"), Some("pr" | "pa")) => Order::MonthFirst,
        (Some("zh"), Some("hk" | "mo" | "sg")) => Order::DayFirst,
        (Some("zh" | "ja" | "ko" | "hu" | "lt" | "mn" | "sv" | "eu" | "fa" | "ne" | "si"), _) => {
            Order::YearFirst
        }
        _ => Order::DayFirst,
    }
}

/// The order of the first date in a text such as 13/4/2012, which has one reading.
pub(crate) fn order_of(text: &str) -> Option<Order> {
    text.split(|c: char| !c.is_ascii_digit() && !matches!(c, '/' | '-'))
        .find_map(|word| {
            let mark = word.chars().find(|c| !c.is_ascii_digit())?;
            let mut parts = word.split(mark);
            let mut part = |lengths: std::ops::RangeInclusive<usize>| {
                let part = parts.next().filter(|part| lengths.contains(&part.len()))?;
                part.parse::<u32>().ok().filter(|number| *number > 0)
            };
            let (first, second) = (part(1..=2)?, part(1..=2)?);
            part(4..=4)?;
            match (first, second) {
                (13..=31, 1..=12) => Some(Order::DayFirst),
                (1..=12, 13..=31) => Some(Order::MonthFirst),
                _ => None,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::{Order, Reading, order_of};
    use url::Url;

    #[test]
    fn language_and_country_decide_the_order() {
        for (language, address, order) in [
            (Some("en-US"), "https://tea.example", Order::MonthFirst),
            (Some("en"), "https://tea.com", Order::MonthFirst),
            (Some("en"), "https://tea.co.uk", Order::DayFirst),
            (Some("en_GB"), "https://tea.com", Order::DayFirst),
            (Some("en-AU"), "https://tea.com", Order::DayFirst),
            (Some("fr"), "https://tea.com", Order::DayFirst),
            (Some("fr-US"), "https://tea.com", Order::DayFirst),
            (Some("zh-Hans-CN"), "https://tea.com", Order::YearFirst),
            (None, "https://tea.gov", Order::MonthFirst),
            (None, "https://tea.de", Order::DayFirst),
            (None, "https://tea.com", Order::Unknown),
            (Some(""), "https://tea.io", Order::Unknown),
        ] {
            let address = Url::parse(address).ok();
            let reading = Reading::new(language, address.as_ref(), || None);
            assert_eq!(reading.order, order, "{language:?} {address:?}");
        }
    }

    #[test]
    fn the_declared_language_is_before_that_of_the_country() {
        let address = Url::parse("https://tea.cz").ok();
        let reading = Reading::new(Some("pl-PL"), address.as_ref(), || None);
        assert_eq!(reading.languages, ["pl", "cs"]);
        assert_eq!(Reading::new(Some("no"), None, || None).languages, ["nb"]);
    }

    #[test]
    fn another_date_decides_the_order_unless_a_region_is_declared() {
        let shown = || order_of("Tea of 4/13/2012");
        let of = |language| Reading::new(language, None, shown).order;
        assert_eq!(of(None), Order::MonthFirst);
        assert_eq!(of(Some("en-GB")), Order::DayFirst);
        for (text, order) in [
            ("13-4-2012", Some(Order::DayFirst)),
            ("3/4/2012", None),
            ("2012-04-13", None),
            ("1/13/20123", None),
        ] {
            assert_eq!(order_of(text), order, "{text}");
        }
    }
}
