//! Languages by a model of the user: a fastText model that the test trains, of languages that the default does not
//! tell apart by name (Lombard, Low German) and of one that it knows.

use std::path::{Path, PathBuf};

use fasttext::FastText;
use fasttext::args::Args;
use serde_json::Value;

use crate::support::{Job, Row, text};

const DATES: &str = "2011-10-01..2011-10-02";

/// A label of GlotLID, and sentences in its language.
const TEXTS: [(&str, &str); 3] = [
    (
        "nds_Latn",
        "De Tee is hitt, man keeneen drinkt em vör'n Avend. De Tassen blievt op'n Disch, un de Lüüd snackt över dat \
         Weder vun morgen.",
    ),
    (
        "lmo_Latn",
        "El tè l'è cald, ma nissun el bev prima de la sira. I tazz resten in su la tavola, e la gent la parla del \
         temp che farà doman.",
    ),
    (
        "cmn_Hani",
        "茶 很 热 但 没有 人 在 晚上 之前 喝 它 。 杯子 放 在 桌子 上 客人 们 在 谈论 明天 的 天气 。",
    ),
];

fn trained(folder: &Path) -> PathBuf {
    let lines: Vec<String> = TEXTS
        .iter()
        .cycle()
        .take(300)
        .map(|(label, text)| format!("__label__{label} {text}"))
        .collect();
    let input = folder.join("lines.txt");
    std::fs::write(&input, lines.join("\n")).expect("written");
    let mut args = Args::new();
    args.apply_supervised_defaults();
    (args.input, args.dim, args.thread, args.lr) = (input, 8, 1, 0.5);
    let model = folder.join("model.bin");
    let trained = FastText::train(args).expect("a model");
    trained.save_model(&model).expect("saved");
    model
}

/// A page for each text, and one without a word.
fn pages() -> Vec<Row> {
    let page = |(label, text): &(&str, &str)| {
        let host = label.replace('_', "-").to_lowercase();
        let html = format!("<title></title><body><main><p>{text}");
        Row::page(
            "2011-10-01T12:00:00",
            format!("http://{host}.example/a"),
            html,
        )
    };
    TEXTS.iter().chain(&[("none", "")]).map(page).collect()
}

const QUERY: &str =
    "SELECT url, language, language_label, language_score, warnings FROM documents ORDER BY url";

#[test]
fn a_model_of_the_user_finds_the_languages_that_it_knows() {
    let job = Job::of(&pages()).with("output.write=language");
    let model = trained(&job.path(""));
    let job = job.with(&format!("output.language_model={}", model.display()));
    job.backfill(DATES);
    let found = job.rows(QUERY);
    let labels: Vec<[&Value; 2]> = (found.iter())
        .map(|row| [&row["language"], &row["language_label"]])
        .collect();
    let none = Value::Null;
    let expected = ["zh", "cmn_Hani", "lmo", "lmo_Latn", "nds", "nds_Latn"].map(Value::from);
    let [zh, cmn, lmo, lombard, nds, low_german] = &expected;
    assert_eq!(
        labels,
        [[zh, cmn], [lmo, lombard], [nds, low_german], [&none, &none]]
    );
    for row in &found[..3] {
        assert!(row["language_score"].as_f64() > Some(0.5), "{row}");
    }

    // One thread finds the same languages. A job without a model has the default.
    let folder = job.path("again");
    let again = job.writing("again", folder).with("run.threads=1");
    again.backfill(DATES);
    // A model is for runs: tables are read without it.
    std::fs::remove_file(model).expect("removed");
    assert_eq!(again.rows(QUERY), found);
    let without = Job::of(&pages()).with("output.write=language");
    without.backfill(DATES);
    let rows =
        without.rows("SELECT language_label FROM documents WHERE language_label = 'nds_Latn'");
    assert!(rows.is_empty(), "{rows:?}");
}

#[test]
fn a_model_that_cannot_be_used_is_refused_before_the_run_begins() {
    let job = Job::of(&pages());
    let text = job.path("lines.txt");
    std::fs::write(&text, "__label__eng_Latn This is no model.").expect("written");
    for model in [&text, &job.path("nowhere.bin")] {
        let job = Job::of(&pages())
            .with("output.write=language")
            .with(&format!("output.language_model={}", model.display()));
        let error = job.refused(DATES, 2);
        for part in [
            "output.language_model",
            &*model.to_string_lossy(),
            "GlotLID",
        ] {
            assert!(error.contains(part), "{error}");
        }
        assert!(!job.has_tables());
    }
    let error = Job::of(&pages())
        .with(&format!("output.language_model={}", text.display()))
        .refused(DATES, 2);
    assert!(error.contains("output.write"), "{error}");
}

#[test]
fn a_text_on_which_a_model_panics_has_a_warning() {
    let mut pages = pages();
    let html = "<title></title><body><main><p>De Tee: panic in the parser";
    pages.push(Row::page("2011-10-01T13:00:00", "http://z.example/a", html));
    let job = Job::of(&pages)
        .with("output.write=language")
        .with_variable("URLTREE_PANIC_IN", "fastText");
    let model = trained(&job.path(""));
    let job = job.with(&format!("output.language_model={}", model.display()));
    job.backfill(DATES);
    let found = job.rows(QUERY);
    let (last, others) = found.split_last().expect("rows");
    assert_eq!(text(last, "url"), "http://z.example/a");
    assert_eq!(
        (&last["language"], &last["warnings"][0]),
        (
            &Value::Null,
            &"no_language: the parser of fastText panicked: injected".into()
        )
    );
    assert!(
        others
            .iter()
            .all(|row| row["warnings"] == serde_json::json!([]))
    );
}
