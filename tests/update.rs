//! `urltree update`: archives that grow, late and corrected data, and changed settings.

use serde_json::{Value, json};

use crate::support::{Finished, Job, Row, Site, assert_same, contents, write};

const SITES: [Site; 3] = [
    Site {
        host: "www.gazette.example",
    },
    Site {
        host: "www.courier.example",
    },
    // Has pages on the first and the last days only, so its window has old pages.
    Site {
        host: "www.quiet.example",
    },
];

/// The date of `day`, counted from 1. Day 10 is the first of October, so that later days
/// read state of a closed month.
fn date(day: u64) -> String {
    match day.checked_sub(9) {
        Some(day @ 1..) => format!("2011-10-{day:02}"),
        _ => format!("2011-09-{:02}", 21 + day),
    }
}

/// The range of dates from day `first` to day `last`.
fn dates(first: u64, last: u64) -> String {
    format!("{}..{}", date(first), date(last))
}

/// The pages fetched on `day`: new articles, and copies of old ones.
fn pages(day: u64) -> Vec<Row> {
    let time = |hour: u64| format!("{}T{hour:02}:00:00", date(day));
    let mut rows = Vec::new();
    for (index, site) in SITES.iter().enumerate() {
        if index == 2 && (4..18).contains(&day) {
            continue;
        }
        rows.extend((0..6).map(|hour| site.article(day * 10 + hour, &time(hour))));
        if day > 2 {
            rows.push(site.article((day - 2) * 10, &time(9)));
            rows.push(site.article(10, &time(10)));
        }
    }
    rows
}

/// Writes the archive file of `day`.
fn deliver(job: &Job, day: u64, rows: &[Row]) {
    let file = format!("date={}/pages.parquet", date(day));
    write(&job.archive(&file), rows);
}

fn job() -> Job {
    // A small window, so that pages are evicted on most days, and that a quiet site does not
    // fill.
    let settings = [
        "archive.layout=hive",
        "window.max_pages=40",
        "window.max_age=4d",
        "window.min_pages=15",
    ];
    settings.into_iter().fold(Job::new(), Job::with)
}

/// A job after one backfill of days 1 to 20, except the days of `without`.
fn at_once(settings: &[&str], without: &[u64]) -> Job {
    let job = settings
        .iter()
        .fold(job(), |job, setting| job.with(setting));
    for day in (1..=20).filter(|day| !without.contains(day)) {
        deliver(&job, day, &pages(day));
    }
    job.backfill(&dates(1, 20));
    job
}

fn update(job: &Job) -> Finished {
    let finished = job.command("update", &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    finished
}

fn status(job: &Job) -> Value {
    let finished = job.command("status", &["--archive", "--format", "json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("one JSON object")
}

#[test]
fn daily_updates_equal_one_backfill() {
    for settings in [
        &["paper.heuristic=strict", "paper.batching=page"][..],
        &["dedup.revisions=true"],
        &[
            "paper.heuristic=relaxed-at-domain-20",
            "paper.lookback=window",
        ],
        &["paper.heuristic=vote-slow", "paper.lookback=3d"],
    ] {
        // Days 9 and 10 have no pages. Day 15 has pages, but its update is left out.
        let expected = at_once(settings, &[9, 10]);
        let nights = settings
            .iter()
            .fold(job(), |job, setting| job.with(setting));
        for day in (1..=20).filter(|day| ![9, 10].contains(day)) {
            deliver(&nights, day, &pages(day));
            if day != 15 {
                update(&nights);
            }
        }
        nights.assert_accounts();
        assert_same(
            &contents(&expected),
            &contents(&nights),
            &settings.join(" "),
        );
    }
}

#[test]
fn an_update_without_new_data_changes_nothing() {
    let job = at_once(&[], &[]);
    let before = job.rows("SELECT * FROM runs ORDER BY date");
    let finished = update(&job);
    assert!(finished.stdout.contains("nothing new"), "{finished:?}");
    let quiet = job.command("update", &["--quiet"]);
    assert_eq!(
        (quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()),
        (Some(0), "", "")
    );
    assert_eq!(job.rows("SELECT * FROM runs ORDER BY date"), before);
}

#[test]
fn an_update_accepts_dates() {
    let job = job();
    for day in 1..=3 {
        deliver(&job, day, &pages(day));
    }
    let finished = job.command("update", &["--dates", &dates(1, 2)]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(status(&job)["done"], 2);
    update(&job);
    assert_eq!(status(&job)["done"], 3);
}

#[test]
fn late_and_corrected_data_are_reported_and_repaired() {
    let expected = at_once(&[], &[]);
    let job = at_once(&[], &[7]);
    deliver(&job, 7, &pages(7));
    let mut corrected = pages(12);
    corrected.truncate(3);
    deliver(&job, 12, &corrected);
    let found = status(&job);
    let range = |day| json!({ "first_date": date(day), "last_date": date(day) });
    assert_eq!(found["missing"], json!([range(7)]));
    let late = job.command("update", &[]);
    assert_eq!(late.code, Some(0), "{}", late.stderr);
    assert!(
        late.stderr
            .contains(&format!("rows of dates before {}", date(21))),
        "{}",
        late.stderr
    );
    assert!(late.stdout.contains("nothing new"), "{}", late.stdout);
    assert_eq!(found["changed"], json!([range(12)]));

    deliver(&job, 12, &pages(12));
    let printed = job.command("status", &["--archive"]).stdout;
    let (_, command) = printed
        .split_once("next: urltree ")
        .expect("a next command");
    let words = shlex::split(command.trim()).expect("words of a shell");
    let finished = job.type_in(&words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(status(&job)["repair"], Value::Null);
    assert_same(&contents(&expected), &contents(&job), "after late data");
}

#[test]
fn other_settings_need_a_flag_and_make_later_dates_stale() {
    let job = at_once(&[], &[20]);
    let before = contents(&job);
    deliver(&job, 20, &pages(20));
    let changed = job.with("paper.heuristic=vote-slow");
    for (command, dates) in [
        ("update", None),
        ("backfill", Some(date(5))),
        ("backfill", Some(date(20))),
    ] {
        let dates = dates.iter().flat_map(|dates| ["--dates", dates]);
        let finished = changed.command(command, &dates.collect::<Vec<_>>());
        assert_eq!(finished.code, Some(2), "{command}: {finished:?}");
        let said = &finished.stderr;
        assert!(said.contains("other settings"), "{said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.contains("--change-settings"), "{said}");
        assert_same(&before, &contents(&changed), "a refused run");
    }

    let asked = ["--dates", &date(5), "--change-settings"];
    let finished = changed.command("backfill", &asked);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let found = status(&changed);
    // Day 20 had no pages.
    let stale = json!([{ "first_date": date(6), "last_date": date(19) }]);
    assert_eq!(found["stale"], stale);
}

/// The pages of `day`, and one of them once more with a parameter, which is noise.
fn with_visit(day: u64) -> Vec<Row> {
    let mut rows = pages(day);
    let mut visit = SITES[0].article(day * 10, &format!("{}T20:00:00", date(day)));
    visit.url = visit.url.map(|url| format!("{url}?visit={day}"));
    rows.push(visit);
    rows
}

#[test]
fn monthly_rollups_change_no_row() {
    let after_two_nights = |kept: bool| {
        let job = job();
        for day in 1..=20 {
            deliver(&job, day, &with_visit(day));
        }
        job.backfill(&dates(1, 20));
        deliver(&job, 21, &with_visit(21));
        update(&job);
        let tables = ["first_pages", "windows", "parameters"].map(|table| job.tables().join(table));
        assert!(tables.iter().all(|table| table.exists()));
        if !kept {
            for table in tables {
                std::fs::remove_dir_all(table).expect("the folder goes");
            }
        }
        // Larger windows than those in the roll-ups.
        let wider = (job.with("window.max_pages=400")).with("window.min_pages=100");
        deliver(&wider, 22, &with_visit(22));
        let finished = wider.command("update", &["--change-settings"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let support = wider.row("SELECT max(support) AS support FROM documents WHERE domain = 'quiet.example' AND date = '2011-10-13'");
        assert!(support["support"].as_u64() > Some(15), "{support}");
        contents(&wider)
    };
    assert_same(&after_two_nights(false), &after_two_nights(true), "kept");
}
