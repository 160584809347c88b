//! Labels of tables with figures. The hash of a block has no digits.

use crate::sketch;

use sketch::{Sketch, SketchSite, prose};

/// Returns a name without digits.
fn name(day: usize) -> String {
    "abcdefgh"
        .chars()
        .cycle()
        .skip(day % 8)
        .step_by(1 + day % 5)
        .take(3 + day)
        .collect()
}

fn page(day: usize, table: &[&str]) -> Sketch {
    let mut lines = vec![
        format!("main@>h1 | Trees of {}", name(day)),
        format!("main@>p | {}", prose(&name(day), 400)),
    ];
    lines.extend(table.iter().map(|line| (*line).to_owned()));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    Sketch::new(&format!("Trees of {}", name(day)), &lines)
}

#[test]
fn cells_of_a_specification_are_content_on_a_known_site() {
    let mut site = SketchSite::by_letters();
    for day in 1..40 {
        let (weight, length) = (format!("{} kg", 7 * day), format!("{day}.5 m"));
        let kept = site.next(page(
            day,
            &[
                "main@>table@>tr@1>td | Weight",
                &format!("main@>table@>tr@1>td | {weight}"),
                "main@>table@>tr@2>td | Length",
                &format!("main@>table@>tr@2>td | {length}"),
            ],
        ));
        assert_eq!(kept[2..], ["Weight", &weight, "Length", &length], "{day}");
    }
}

#[test]
fn a_calendar_is_boilerplate_once_its_rows_return() {
    let mut site = SketchSite::by_letters();
    for day in 1..40 {
        let rows: Vec<String> = (1..29)
            .map(|date| format!("main@>table@>tr@{}>td | {date}", date / 7))
            .collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let kept = site.next(page(day, &rows));
        assert_eq!(kept.contains(&"17".to_owned()), day < 2, "{day}: {kept:?}");
    }
}

/// The line below a headline in a table has a date and a number, which differ on each page.
#[test]
fn a_row_alone_is_no_table_of_figures() {
    let mut site = SketchSite::by_letters();
    for day in 1..40 {
        let kept = site.next(page(
            day,
            &[
                "main@>table@>tr@1>td | Read",
                &format!("main@>table@>tr@1>td | {} times", 13 * day),
            ],
        ));
        assert_eq!(
            kept.contains(&"Read".to_owned()),
            day < 2,
            "{day}: {kept:?}"
        );
    }
}
