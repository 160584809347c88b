//! The reports of `urltree-lab eval --report`: texts of any tool, several collections, extractors of others.

use super::{Folder, SITE, number, objects};

#[test]
fn texts_of_any_tool_are_measured_and_reported() {
    let rows = SITE.daily_articles(12);
    let folder = Folder::of(&rows);
    let address = |page: usize| rows[page].url.as_deref().expect("an address");
    let lines = [
        format!("{{\"url\": \"{}\", \"text\": \"\"}}", address(0)),
        format!("{{\"url\": \"{}\", \"error\": \"too deep\"}}", address(1)),
        format!(
            "{{\"url\": \"{}\", \"text\": \"no word of it\"}}",
            address(2)
        ),
    ];
    folder.write("texts.jsonl", &lines.join("\n"));
    folder.write(
        "published.toml",
        "[[figure]]\nbeside = 'gold'\nsource = 'A 2013'\npages = 'ten'\nname = 'S'\nextractor = 'strict'\n\
         f1 = 0.5\n",
    );
    folder.write(
        "report.md",
        "# Ours\n\n<!-- eval:gold -->\nstale\n<!-- /eval:gold -->\n\nWhat we think.\n",
    );
    let rows = folder.rows(
        "eval --gold gold.parquet --texts other=texts.jsonl --heuristics strict \
         --extractors cetd --report report.md --published published.toml",
    );
    let other = rows
        .iter()
        .find(|row| row["extractor"] == "other")
        .expect("a row");
    let counts = ["measured", "no_overlap", "empty_extraction", "failed"];
    assert_eq!(
        counts.map(|count| other[count].as_i64()),
        [0, 1, 1, 10].map(Some)
    );
    assert_eq!(number(other, "f1"), 0.0);
    let report = folder.read("report.md");
    assert!(
        report.starts_with("# Ours\n\n<!-- eval:gold -->\n12 of 12 pages"),
        "{report}"
    );
    assert!(
        report.ends_with("<!-- /eval:gold -->\n\nWhat we think.\n"),
        "{report}"
    );
    assert!(!report.contains("stale"), "{report}");
    for line in [
        "| other | 0 | 1 | 1 | 10 | 0 | 0 | 0 |",
        "| S | A 2013, ten |  |  | 0.500 |",
        "| extractor | pages 1-10 | 11-100 | 101 and later |",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
}

#[test]
fn collections_are_compared_in_one_table() {
    let rows = SITE.daily_articles(12);
    let folder = Folder::of(&rows);
    let gold = folder.path("gold.parquet");
    std::fs::copy(gold, folder.path("again.parquet")).expect("a second collection");
    let address = rows[0].url.as_deref().expect("an address");
    folder.write(
        "texts.jsonl",
        &format!("{{\"url\": \"{address}\", \"text\": \"\"}}"),
    );
    folder.rows(
        "eval --gold gold.parquet again.parquet --texts other=texts.jsonl --heuristics template \
         --report report.md",
    );
    let report = folder.read("report.md");
    let f1 = report
        .lines()
        .find_map(|line| line.strip_prefix("| template | heuristic | **"))
        .and_then(|rest| rest.split("**").next())
        .expect("F1 of the default");
    let table = format!(
        "| extractor |  | gold | again | mean |\n| --- | --- | --- | --- | --- |\n\
         | template | heuristic | **{f1}** | **{f1}** | {f1} |\n\
         | other | given | 0.000 | 0.000 | 0.000 |\n"
    );
    assert!(report.contains(&table), "{report}");
}

/// An adapter in the shell that answers every page with one text.
#[cfg(unix)]
const ADAPTER: &str = r#"echo '{"extractor": "echo", "version": "1.2", "runtime": "sh"}'
page=0
while read -r line; do
    case "$line" in *news/4.html*) answer='"error": "a hole"' ;; *) answer='"text": "rain"' ;; esac
    echo "{\"page\": $page, $answer, \"cpu_seconds\": 0.25}"
    page=$((page + 1))
done
"#;

#[cfg(unix)]
#[test]
fn a_missing_peer_is_named_and_left_out() {
    let folder = Folder::of(&SITE.daily_articles(6));
    folder.write("echo.sh", ADAPTER);
    folder.write(
        "peers.toml",
        "[[peer]]\nname = 'echo'\ncommand = ['sh', 'echo.sh']\n\
         [[peer]]\nname = 'gone'\ncommand = ['target/gone', 'away']\n\
         [[peer]]\nname = 'mute'\ncommand = ['true']\n",
    );
    let line = "eval --gold gold.parquet --peers all --peers-file peers.toml --report report.md";
    let finished = folder.command(&format!("{line} --format json"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let rows = objects(&finished.stdout);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0]["version"], "1.2 (sh)");
    assert_eq!(
        (&rows[0]["no_overlap"], &rows[0]["failed"]),
        (&5.into(), &1.into())
    );
    assert_eq!(number(&rows[0], "cpu_ms"), 250.0);
    let report = folder.read("report.md");
    for said in [&finished.stderr, &report] {
        assert!(
            said.contains("gone: target/gone away cannot be started"),
            "{said}"
        );
        assert!(said.contains("mute: it ended before its answer"), "{said}");
    }
}
