//! Names of months and of days by language.
//!
//! They are those of the GNU C Library, in the crate `pure-rust-locales`, with forms that it lacks.

use std::collections::HashMap;
use std::sync::LazyLock;

use icu_normalizer::DecomposingNormalizer;
use pure_rust_locales::{Locale, locale_match};

/// Locales whose names are known, at least one for each language. Amharic is missing: its calendar has
/// thirteen months.
const LOCALES: &str = "\
    en_US de_DE de_AT fr_FR es_ES es_MX es_PE it_IT pt_PT pt_BR nl_NL pl_PL ru_RU uk_UA be_BY el_GR sl_SI \
    cs_CZ sk_SK sv_SE da_DK nb_NO nn_NO is_IS fo_FO fi_FI et_EE lv_LV lt_LT hu_HU ro_RO bg_BG mk_MK sr_RS \
    sr_RS@latin bs_BA hr_HR sq_AL tr_TR az_AZ kk_KZ ky_KG uz_UZ uz_UZ@cyrillic tk_TM tt_RU tg_TJ mn_MN \
    ka_GE hy_AM ca_ES gl_ES eu_ES oc_FR ast_ES br_FR cy_GB ga_IE gd_GB mt_MT lb_LU fy_NL af_ZA eo \
    ar_EG ar_SY ar_MA ar_DZ ar_TN he_IL fa_IR ur_PK ku_TR hi_IN bn_BD bn_IN mr_IN ne_NP gu_IN pa_IN or_IN \
    as_IN ta_IN te_IN kn_IN ml_IN si_LK th_TH lo_LA km_KH my_MM id_ID ms_MY fil_PH sw_KE ha_NG so_SO zu_ZA xh_ZA ig_NG \
    yo_NG ja_JP ko_KR zh_CN";

/// Forms that the locales lack: a language, and its names as `month:name,name`. A name of several words
/// has `_` between them.
const FORMS: [(&str, &str); 24] = [
    ("en", "9:sept"),
    ("de", "1:jaenner 2:feber 3:maerz,mrz"),
    ("fr", "2:fév 4:avr"),
    ("es", "9:setiembre,sept"),
    ("it", "9:sett"),
    ("nl", "3:mrt"),
    ("ru", "2:февр 9:сент 11:нояб"),
    (
        "uk",
        "4:квіт 5:трав 6:черв 8:серп 9:вер 10:жовт 11:лист 12:груд",
    ),
    ("el", "5:μαϊου"),
    (
        "sl",
        "1:januarja 2:februarja 3:marca 4:aprila 5:maja 6:junija 7:julija 8:avgusta 9:septembra \
         10:oktobra 11:novembra 12:decembra",
    ),
    (
        "sk",
        "1:januára 2:februára 3:marca 4:apríla 5:mája 6:júna 7:júla 8:augusta 9:septembra \
         10:októbra 11:novembra 12:decembra",
    ),
    (
        "lv",
        "1:janvārī 2:februārī 3:martā 4:aprīlī 5:maijā 6:jūnijā 7:jūlijā 8:augustā 9:septembrī \
         10:oktobrī 11:novembrī 12:decembrī",
    ),
    ("hu", "9:szept"),
    (
        "ar",
        "1:كانون_الثاني 2:شباط 3:آذار 4:نيسان,ابريل,إبريل 5:أيار 6:حزيران 7:تموز 8:آب,اغسطس,أوت,غشت,أغشت \
         9:أيلول,شتنبر 10:تشرين_الأول,اكتوبر 11:تشرين_الثاني,نونبر 12:كانون_الأول,دجنبر,دجمبر",
    ),
    ("fa", "7:جولای 10:اکتبر"),
    ("hi", "9:सितम्बर 10:अक्टूबर 11:नवम्बर 12:दिसम्बर"),
    ("bn", "1:জানুয়ারি 2:ফেব্রুয়ারি 8:আগস্ট"),
    (
        "vi",
        "1:tháng_một,tháng_giêng 2:tháng_hai 3:tháng_ba 4:tháng_tư 5:tháng_năm 6:tháng_sáu \
         7:tháng_bảy 8:tháng_tám 9:tháng_chín 10:tháng_mười 11:tháng_mười_một \
         12:tháng_mười_hai,tháng_chạp",
    ),
    ("id", "2:pebruari 8:agt 11:nopember,nop"),
    ("ms", "8:ogo"),
    ("ca", "8:ag"),
    ("sq", "7:korr 8:gush"),
    ("cy", "2:chwef 12:rhag"),
    ("uz", "9:sentyabr 10:oktyabr"),
];

/// The ending that a month has in a date, in languages whose locale has only its first case.
const ENDINGS: [(&str, &str); 3] = [("fi", "ta"), ("eu", "ren"), ("hy", "ի")];

/// Words of a name at most: "tháng mười một".
pub(crate) const NAME_WORDS: usize = 3;

/// Bytes of a name at most, in lower case.
const NAME_BYTES: usize = 48;

/// A name's months, each with its language.
type Months = Vec<(&'static str, u32)>;

static MONTHS: LazyLock<HashMap<String, Months>> = LazyLock::new(|| {
    let mut months: HashMap<String, Months> = HashMap::new();
    let mut add = |language: &'static str, month: u32, name: &str| {
        let name = folded(name);
        let of_name = months.entry(name.clone()).or_default();
        if !name.is_empty() && !of_name.contains(&(language, month)) {
            of_name.push((language, month));
        }
    };
    for (language, locale) in locales() {
        let ending = ENDINGS.iter().find(|(of, _)| *of == language);
        let nominative = locale_match!(locale => LC_TIME::ALT_MON).unwrap_or_default();
        for names in [
            locale_match!(locale => LC_TIME::MON),
            locale_match!(locale => LC_TIME::ABMON),
            nominative,
        ] {
            for (month, name) in (1..).zip(names) {
                // Languages that number their months: "3月".
                if name.chars().any(char::is_numeric) {
                    continue;
                }
                add(language, month, name);
                if let Some((_, ending)) = ending {
                    add(language, month, &format!("{name}{ending}"));
                }
            }
        }
    }
    for (language, forms) in FORMS {
        for form in forms.split_ascii_whitespace() {
            let (month, names) = form.split_once(':').unwrap_or_default();
            for name in names.split(',') {
                add(language, month.parse().unwrap_or_default(), name);
            }
        }
    }
    months
});

static DAYS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = locales().flat_map(|(_, locale)| {
        let long = locale_match!(locale => LC_TIME::DAY);
        // Short names are too short to be known as such outside of English: "so", "do", "sa".
        let short: &[&str] = match locale {
            Locale::en_US => locale_match!(locale => LC_TIME::ABDAY),
            _ => &[],
        };
        long.iter().chain(short).map(|name| folded(name))
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
});

/// The locales with their languages.
fn locales() -> impl Iterator<Item = (&'static str, Locale)> {
    LOCALES.split_ascii_whitespace().filter_map(|name| {
        let language = name.split('_').next()?;
        Some((language, Locale::try_from(name).ok()?))
    })
}

/// The number of the month with this name, in any case, with or without accents. If a name is of several
/// months, the first of `languages` that has the name decides.
pub(crate) fn month(name: &str, languages: &[String]) -> Option<u32> {
    if name.len() > NAME_BYTES {
        return None;
    }
    let months = if name.bytes().all(|byte| byte.is_ascii_lowercase()) {
        MONTHS.get(name)
    } else {
        MONTHS.get(folded(name).as_str())
    }?;
    let (_, first) = months.first()?;
    if months.iter().all(|(_, month)| month == first) {
        return Some(*first);
    }
    languages.iter().find_map(|language| {
        let mut own = months.iter().filter(|(of, _)| of == language);
        own.next().map(|(_, month)| *month)
    })
}

/// Whether a word is the name of a month or of a day, in any case.
pub(crate) fn of_date(word: &str) -> bool {
    word.len() <= NAME_BYTES && {
        let word = folded(word);
        MONTHS.contains_key(&word) || DAYS.binary_search(&word).is_ok()
    }
}

/// A name in lower case, without accents and dots.
fn folded(name: &str) -> String {
    let lower = name.to_lowercase();
    let decomposed = DecomposingNormalizer::new_nfd().normalize_iter(lower.chars());
    let kept = decomposed.filter_map(|c| match c {
        // Accents of Latin, Greek and Cyrillic, points of Arabic and Hebrew, the dot below of India, and
        // signs without a width.
        '\u{300}'..='\u{36f}'
        | '\u{591}'..='\u{5c7}'
        | '\u{64b}'..='\u{65f}'
        | '\u{93c}'
        | '\u{9bc}'
        | '\u{a3c}'
        | '\u{200c}'
        | '\u{200d}'
        | '.' => None,
        '_' => Some(' '),
        'ı' => Some('i'),
        'ł' => Some('l'),
        // Letters of Persian that Arabic keyboards write.
        'ک' => Some('ك'),
        'ی' => Some('ي'),
        c => Some(c),
    });
    kept.collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{LOCALES, MONTHS, locales, month, of_date};

    fn of(name: &str, language: &str) -> Option<u32> {
        month(name, &[language.to_owned()])
    }

    #[test]
    fn every_locale_is_known() {
        assert_eq!(locales().count(), LOCALES.split_ascii_whitespace().count());
    }

    #[test]
    fn a_language_has_one_month_for_a_name() {
        for (name, months) in MONTHS.iter() {
            for (language, number) in months {
                let mut own = months.iter().filter(|(of, _)| of == language);
                assert!(
                    own.all(|(_, month)| month == number),
                    "{name} {language}: {months:?}"
                );
            }
        }
    }

    #[test]
    fn names_are_found_in_any_case_with_and_without_accents() {
        for (name, expected) in [
            ("März", 3),
            ("MARZ", 3),
            ("fevrier", 2),
            ("ДЕКАБРЯ", 12),
            ("ΜΑΡΤΙΟΥ", 3),
            ("lokakuuta", 10),
            ("Şubat", 2),
            ("ŞUBAT", 2),
            ("październik", 10),
            ("फरवरी", 2),
            ("tháng mười một", 11),
            ("تشرين الثاني", 11),
        ] {
            assert_eq!(month(name, &[]), Some(expected), "{name}");
        }
        assert_eq!(month("Teabury", &[]), None);
    }

    #[test]
    fn the_language_decides_between_months_of_one_name() {
        assert_eq!(of("listopada", "pl"), Some(11));
        assert_eq!(of("listopada", "hr"), Some(10));
        assert_eq!(of("listopada", "en"), None);
        assert_eq!(month("listopada", &[]), None);
        assert_eq!(
            month("listopada", &["en".to_owned(), "pl".to_owned()]),
            Some(11)
        );
    }

    #[test]
    fn days_and_months_are_words_of_dates() {
        for word in ["Montag", "Πέμπτη", "März", "segunda", "mon"] {
            assert!(of_date(word), "{word}");
        }
        assert!(!of_date("Ann"));
    }
}
