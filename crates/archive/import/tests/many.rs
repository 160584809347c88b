//! 10,000 records of 50 domains out of 200 files.

use std::collections::BTreeSet;

use crate::common::{
    crawl, import_whole, objects, options, pages, plan, quarantined, run, write_index,
};
use crate::server::{Reply, Server};

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_records_are_the_rows_of_an_import_of_the_whole_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = crawl(&folder.path().join("crawl"), 200, 60);
    let index = write_index(folder.path(), &captured);
    let server = Server::start(folder.path().join("crawl"), |_| Reply::File);
    let mut options = options(50);
    options.base = Some(server.url());
    options.commit_bytes = 200 << 10;
    let index = index.display().to_string();

    let planned = plan(&index, &options).await;
    let totals = planned.totals();
    let html = captured.iter().filter(|record| {
        let domain = record.url.split('/').nth(2).expect("a host");
        let domain = domain
            .trim_start_matches("www.site")
            .trim_end_matches(".com");
        record.mime == "text/html" && domain.parse::<usize>().expect("a number") < 50
    });
    assert_eq!(totals.records, html.count() as u64);
    assert_eq!((totals.files, totals.requests), (200, 200));
    assert_eq!(planned.left_out["other_site"], 2000);
    assert!(server.ranges().is_empty());

    // Every record, images too: 10,000.
    options.selection.content = import::Content::Any;
    let report = run(&index, &folder.path().join("chosen"), &options).await;
    assert_eq!((report.asked, report.got), (10_000, 10_000));
    assert_eq!(report.got_without_digest, 0);
    assert_eq!((report.requests, server.ranges().len()), (200, 200));
    let images: u64 = report.archive.not_pages.values().sum();
    assert_eq!(report.archive.pages + images, 10_000);
    assert!(server.most_at_a_time() <= 2);

    let inputs: Vec<String> = (captured.iter().map(|record| &record.file))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|file| format!("{}/{file}", server.url()))
        .collect();
    import_whole(&inputs, &folder.path().join("whole")).await;
    let mut expected = pages(&folder.path().join("whole"));
    let is_chosen =
        |row: &String| (0..50).any(|domain| row.contains(&format!("www.site{domain}.com/")));
    expected.retain(is_chosen);
    assert_eq!(expected.len() as u64, report.archive.pages);
    assert!(
        pages(&folder.path().join("chosen")) == expected,
        "other rows"
    );

    // Again: no request, and no object is written.
    let before = objects(&folder.path().join("chosen"));
    let again = run(&index, &folder.path().join("chosen"), &options).await;
    assert_eq!(
        (again.asked, again.asked_earlier, again.requests),
        (10_000, 10_000, 0)
    );
    assert_eq!(again.archive.pages, report.archive.pages);
    assert_eq!(objects(&folder.path().join("chosen")), before);
    assert!(quarantined(&folder.path().join("chosen")).is_empty());
}
