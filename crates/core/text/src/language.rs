//! The language of a text and how sure that is.
//!
//! ```
//! let text = "Le thé est chaud, mais personne ne le boit avant le soir. Les tasses restent sur la table,
//!             et les invités parlent du temps qu'il fera demain.";
//! let french = text::language::detect(text).expect("a language");
//! assert_eq!(french.code, "fr");
//! assert_eq!(french.label(), "fra_Latn");
//! assert!(french.score > 0.5);
//!
//! // Too few letters to say.
//! assert!(text::language::detect("C'est la vie").is_none());
//! ```
//!
//! # Method
//!
//! The script of most letters comes first: text in a script of one language has that language. A character of
//! Chinese or Japanese counts as three letters, because it says as much. Han with kana is Japanese. For other
//! scripts, [whatlang](https://docs.rs/whatlang) compares the letters of that script, and not the code, the
//! names and the addresses in other scripts, with trigrams and alphabets of 70 languages. At most the first
//! [`CHARS`] characters are read: whatlang is not more exact on longer texts.
//!
//! The label that a model of the user gives is read by [`Labelled`] into the same codes.
//!
//! # Non-goals
//!
//! - One language per text. A page in two languages gets that of most letters.
//! - Nearly equal languages (Norwegian and Danish, Serbian and Croatian) have low scores.
//! - What a page declares (`<html lang>`) is not read: keep both and compare.

use whatlang::{Lang, Script};

/// Characters that are read at most. The time is linear in them; the accuracy at 1,000 is that of whole
/// pages.
pub const CHARS: usize = 1000;

/// Letters that a text with a language has at least. At 60 characters, one answer in six is wrong on real
/// pages; at 200, one in thirty. Higher: fewer short pages have a language.
pub const LETTERS: usize = 100;

/// Letters that a character of Chinese, Japanese or Korean counts as.
const OF_IDEOGRAPH: usize = 3;

/// The share of kana in Japanese, at least: one of this many characters of Han and kana. Chinese pages have
/// kana in names and in faces made of characters.
const KANA: usize = 10;

/// A language and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Language {
    /// The code of ISO 639-1, or of ISO 639-3 if there is none of two letters.
    pub code: &'static str,
    /// 0 to 1. Above .9 it is reliable by whatlang's measure; a language that its script decides has the
    /// share of its letters.
    pub score: f32,
    /// The script of most letters: the code of ISO 15924.
    pub script: &'static str,
}

impl Language {
    /// The code of ISO 639-3, `_` and the script, such as `eng_Latn`: the form of the labels of FLORES, OpenLID and GlotLID. The
    /// code is of one language and not of a group: `cmn_Hani` and `pes_Arab`.
    pub fn label(&self) -> String {
        let three = three_letters_of_one(self.code).unwrap_or(self.code);
        format!("{three}_{}", self.script)
    }
}

/// The letters of a text by script.
#[derive(Debug, Default)]
struct Letters {
    han: usize,
    kana: usize,
    hangul: usize,
    latin: usize,
    cyrillic: usize,
    greek: usize,
    other: usize,
}

impl Letters {
    fn add(&mut self, c: char) {
        let count = match c {
            '\u{3040}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9d}' => &mut self.kana,
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' => {
                &mut self.han
            }
            '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => &mut self.hangul,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => &mut self.greek,
            '\u{400}'..='\u{52f}' => &mut self.cyrillic,
            '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => &mut self.latin,
            _ => &mut self.other,
        };
        *count += 1;
    }

    fn ideographs(&self) -> usize {
        OF_IDEOGRAPH * (self.han + self.kana + self.hangul)
    }

    fn all(&self) -> usize {
        self.ideographs() + self.latin + self.cyrillic + self.greek + self.other
    }
}

/// Finds the language of a text; `None` if it has fewer than [`LETTERS`] letters.
pub fn detect(text: &str) -> Option<Language> {
    let mut letters = Letters::default();
    let end = text
        .char_indices()
        .nth(CHARS)
        .map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    text.chars()
        .filter(|c| c.is_alphabetic())
        .for_each(|c| letters.add(c));
    let all = letters.all();
    if all < LETTERS {
        return None;
    }
    let alphabets = [
        letters.latin,
        letters.cyrillic,
        letters.greek,
        letters.other,
    ];
    if alphabets
        .iter()
        .all(|letters_of| *letters_of < letters.ideographs())
    {
        let (code, script) = if letters.hangul > letters.han + letters.kana {
            ("ko", "Hang")
        } else if letters.kana * KANA >= letters.han + letters.kana {
            ("ja", "Jpan")
        } else {
            ("zh", "Hani")
        };
        let score = letters.ideographs() as f32 / all as f32;
        return Some(Language {
            code,
            score,
            script,
        });
    }
    let most = alphabets.into_iter().max().unwrap_or(0);
    let of_script = |c: char| {
        let mut one = Letters::default();
        one.add(c);
        match most {
            _ if most == letters.latin => one.latin > 0,
            _ if most == letters.cyrillic => one.cyrillic > 0,
            _ if most == letters.greek => one.greek > 0,
            _ => one.other > 0,
        }
    };
    let kept = text.chars().map(|c| {
        if c.is_alphabetic() && !of_script(c) {
            ' '
        } else {
            c
        }
    });
    let kept: String = kept.collect();
    let found = whatlang::detect(&kept)?;
    let score = match found.script() {
        // whatlang is always sure of a script with one language.
        Script::Greek => most as f32 / all as f32,
        _ => found.confidence() as f32,
    };
    Some(Language {
        code: code(found.lang().code()),
        score,
        script: script(found.script()),
    })
}

/// The code of a script in ISO 15924. Han with kana is one script of Japanese.
fn script(of: Script) -> &'static str {
    match of {
        Script::Arabic => "Arab",
        Script::Armenian => "Armn",
        Script::Bengali => "Beng",
        Script::Cyrillic => "Cyrl",
        Script::Devanagari => "Deva",
        Script::Ethiopic => "Ethi",
        Script::Georgian => "Geor",
        Script::Greek => "Grek",
        Script::Gujarati => "Gujr",
        Script::Gurmukhi => "Guru",
        Script::Hangul => "Hang",
        Script::Hebrew => "Hebr",
        Script::Hiragana | Script::Katakana => "Jpan",
        Script::Kannada => "Knda",
        Script::Khmer => "Khmr",
        Script::Latin => "Latn",
        Script::Malayalam => "Mlym",
        Script::Mandarin => "Hani",
        Script::Myanmar => "Mymr",
        Script::Oriya => "Orya",
        Script::Sinhala => "Sinh",
        Script::Tamil => "Taml",
        Script::Telugu => "Telu",
        Script::Thai => "Thai",
    }
}

/// The language that a label of another detector names, such as `__label__eng_Latn`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// As [`Language::code`]. A name outside of ISO 639 stays as it is.
    pub code: String,
    /// As [`Language::label`]. A label without a script gets that of most letters of the text.
    pub label: String,
}

impl Labelled {
    /// Reads the label of a text. fastText begins labels with `__label__`.
    pub fn new(label: &str, text: &str) -> Self {
        let label = label.strip_prefix("__label__").unwrap_or(label);
        if let Some((language, _)) = label.split_once('_') {
            return Self {
                code: code(language).to_owned(),
                label: label.to_owned(),
            };
        }
        let three = three_letters_of_one(label).unwrap_or(label);
        let label_of = |of| format!("{three}_{}", script(of));
        Self {
            code: code(label).to_owned(),
            label: whatlang::detect_script(text).map_or_else(|| three.to_owned(), label_of),
        }
    }
}

/// The code of a language: of two letters if it has one.
fn code(of: &str) -> &str {
    let one = OF_GROUPS.iter().find(|(three, _)| *three == of);
    let of_group = one.map(|(_, two)| *two);
    let two = || isolang::Language::from_639_3(of).and_then(|language| language.to_639_1());
    of_group.or_else(two).unwrap_or(of)
}

/// Returns the code of ISO 639-3 of a code that [`detect`] or [`Labelled`] gives, as WARC files name languages. Where
/// two letters stand for a group of languages, this is the code of the group: `zho` and not `cmn`.
pub fn three_letters(code: &str) -> Option<&'static str> {
    let two = isolang::Language::from_639_1(code);
    let known = two.or_else(|| isolang::Language::from_639_3(code));
    known.map(|language| language.to_639_3())
}

/// Returns the code of the one language that texts with a code are in, as whatlang has it.
fn three_letters_of_one(of: &str) -> Option<&'static str> {
    let mut known = Lang::all().iter().map(|lang| lang.code());
    let known = known.find(|three| code(three) == of);
    known.or_else(|| three_letters(of))
}

/// Languages whose two letters stand for a group of languages, of which texts are in this one. Models label the one
/// language (OpenLID, GlotLID), pages declare the group.
const OF_GROUPS: [(&str, &str); 22] = [
    ("als", "sq"),
    ("arb", "ar"),
    ("ayr", "ay"),
    ("azj", "az"),
    ("cmn", "zh"),
    ("ekk", "et"),
    ("gaz", "om"),
    ("gug", "gn"),
    ("khk", "mn"),
    ("kmr", "ku"),
    ("knc", "kr"),
    ("lvs", "lv"),
    ("npi", "ne"),
    ("ory", "or"),
    ("pbt", "ps"),
    ("pes", "fa"),
    ("plt", "mg"),
    ("quy", "qu"),
    ("swh", "sw"),
    ("uzn", "uz"),
    ("ydd", "yi"),
    ("zsm", "ms"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&'static str> {
        detect(text).map(|language| language.code)
    }

    #[test]
    fn languages_of_the_test_sites_are_known() {
        for (text, code) in [
            (
                "The tea is hot, but nobody drinks it before the evening.",
                "en",
            ),
            (
                "Der Tee ist heiß, aber niemand trinkt ihn vor dem Abend.",
                "de",
            ),
            (
                "Le thé est chaud, mais personne ne le boit avant le soir.",
                "fr",
            ),
            (
                "Il tè è caldo, ma nessuno lo beve prima della sera, nemmeno qui.",
                "it",
            ),
            (
                "O chá está quente, mas ninguém o bebe antes de anoitecer.",
                "pt",
            ),
            (
                "De kopjes blijven op tafel staan en de gasten praten over het weer van morgen, want zij hebben de tijd en het regent.",
                "nl",
            ),
            (
                "Herbata jest gorąca, ale nikt nie pije jej przed wieczorem.",
                "pl",
            ),
            (
                "Чай горячий, но никто не пьёт его до самого вечера. Чашки остаются на столе, а гости говорят о том, какая погода будет завтра.",
                "ru",
            ),
            (
                "Το τσάι είναι ζεστό, αλλά κανείς δεν το πίνει πριν το βράδυ.",
                "el",
            ),
            (
                "茶很热,但没有人在晚上之前喝它,因为天气太热了。杯子放在桌子上,客人们在谈论明天的天气。",
                "zh",
            ),
            (
                "お茶は熱いですが、夕方まで誰も飲みません。暑いからです。",
                "ja",
            ),
            (
                "차는 뜨겁지만 저녁 전에는 아무도 마시지 않습니다. 찻잔은 탁자 위에 있고 손님들은 내일 날씨를 이야기합니다.",
                "ko",
            ),
        ] {
            // Three of these sentences are long enough for an answer.
            assert_eq!(found(&text.repeat(3)), Some(code), "{text}");
        }
    }

    #[test]
    fn short_texts_have_no_language() {
        for text in [
            "",
            "Home",
            "12.03.2012 10:00",
            "Read more about tea",
            "お茶",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn code_and_names_in_another_script_do_not_decide() {
        let text = "このコマンドを実行すると、お茶の一覧が表示されます。次に、好きなお茶を選んでください。 git clone https://example.com/tea.git && make";
        assert_eq!(found(text), Some("ja"));
        let text = "Эта команда показывает список чаёв: git clone tea && make install, и больше ничего. Потом выберите чай, который вам нравится, и подождите, пока он заварится.";
        assert_eq!(found(text), Some("ru"));
    }

    #[test]
    fn scores_are_shares() {
        let sure =
            detect(&"The tea is hot, but nobody drinks it before the evening comes. ".repeat(3))
                .unwrap();
        assert!((0.0..=1.0).contains(&sure.score));
        let mixed = detect("茶很热,但没有人在晚上之前喝它。杯子放在桌子上,客人们在谈论天气。 tea is hot but nobody drinks any of it").unwrap();
        assert!(mixed.code == "zh" && mixed.score < 0.8, "{mixed:?}");
    }

    #[test]
    fn codes_of_three_letters_are_those_of_warc_files() {
        for (code, three) in [("en", "eng"), ("zh", "zho"), ("fa", "fas"), ("nb", "nob")] {
            assert_eq!(three_letters(code), Some(three));
        }
        assert_eq!(three_letters("xx"), None);
        for lang in Lang::all() {
            let three = three_letters(code(lang.code())).unwrap_or_default();
            assert_eq!(three.len(), 3, "{lang}");
        }
    }

    #[test]
    fn a_label_has_the_script_of_the_letters() {
        // A language of several scripts, and languages whose script decides.
        for (text, label) in [
            (
                "The tea is hot, but nobody drinks it before the evening.",
                "eng_Latn",
            ),
            (
                "Чай горячий, но никто не пьёт его до самого вечера.",
                "rus_Cyrl",
            ),
            (
                "Το τσάι είναι ζεστό, αλλά κανείς δεν το πίνει πριν το βράδυ.",
                "ell_Grek",
            ),
            (
                "התה חם, אבל אף אחד לא שותה אותו לפני הערב, כי חם מאוד.",
                "heb_Hebr",
            ),
            (
                "الشاي ساخن، لكن لا أحد يشربه قبل المساء لأن الجو حار جدا.",
                "ara_Arab",
            ),
            (
                "चाय गरम है, लेकिन शाम से पहले इसे कोई नहीं पीता क्योंकि गर्मी है।",
                "hin_Deva",
            ),
            ("ชาร้อน แต่ไม่มีใครดื่มก่อนเย็นเพราะอากาศร้อนมาก", "tha_Thai"),
            (
                "Թեյը տաք է, բայց երեկոյից առաջ ոչ ոք չի խմում այն։",
                "hye_Armn",
            ),
            ("茶很热,但没有人在晚上之前喝它,因为天气太热了。", "cmn_Hani"),
            (
                "お茶は熱いですが、夕方まで誰も飲みません。暑いからです。",
                "jpn_Jpan",
            ),
            (
                "차는 뜨겁지만 저녁 전에는 아무도 마시지 않습니다.",
                "kor_Hang",
            ),
        ] {
            let found = detect(&text.repeat(3)).expect("a long text");
            assert_eq!(found.label(), label, "{text}");
        }
    }

    #[test]
    fn every_language_in_every_script_it_is_written_in_has_a_label() {
        let mut labels = Vec::new();
        for of in Script::all() {
            for lang in of.langs() {
                let language = Language {
                    code: code(lang.code()),
                    score: 1.0,
                    script: script(*of),
                };
                let label = language.label();
                let (three, script) = label.split_once('_').expect("two parts");
                assert_eq!(three, lang.code());
                let mut letters = script.chars();
                assert!(
                    letters
                        .next()
                        .is_some_and(|first| first.is_ascii_uppercase())
                );
                assert!(letters.clone().count() == 3 && letters.all(|c| c.is_ascii_lowercase()));
                labels.push((*lang, label));
            }
        }
        for lang in Lang::all() {
            assert!(
                labels.iter().any(|(of, _)| of == lang),
                "{lang} has no script"
            );
        }
        let has = |label: &str| labels.iter().any(|(_, found)| found == label);
        assert!(has("srp_Cyrl") && has("yid_Hebr") && has("jpn_Jpan") && has("cmn_Hani"));
    }

    #[test]
    fn languages_of_two_letters_have_them() {
        let codes: Vec<&str> = Lang::all().iter().map(|lang| code(lang.code())).collect();
        assert!(codes.iter().all(|code| code.len() == 2), "{codes:?}");
        for (three, two) in OF_GROUPS {
            assert_eq!(code(three), two);
            assert!(
                three_letters(two).is_some_and(|group| group != three),
                "{two}"
            );
        }
    }

    #[test]
    fn labels_of_other_detectors_are_codes_and_labels() {
        let of = |label| {
            let read = Labelled::new(label, "Die Tassen bleiben auf dem Tisch.");
            (read.code, read.label)
        };
        for (label, code, expected) in [
            ("__label__deu_Latn", "de", "deu_Latn"),
            ("__label__cmn_Hani", "zh", "cmn_Hani"),
            ("__label__arb_Arab", "ar", "arb_Arab"),
            ("__label__nds_Latn", "nds", "nds_Latn"),
            // lid.176 names no script, and has codes of two letters.
            ("__label__de", "de", "deu_Latn"),
            ("__label__zh", "zh", "cmn_Latn"),
            ("__label__ceb", "ceb", "ceb_Latn"),
            // A name without a code stays.
            ("tea", "tea", "tea_Latn"),
        ] {
            assert_eq!(of(label), (code.to_owned(), expected.to_owned()), "{label}");
        }
        assert_eq!(Labelled::new("de", "1984").label, "deu");
    }
}
