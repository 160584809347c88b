//! Runs the examples of the crate.

#[allow(dead_code, reason = "the test calls `run`, not `main`")]
#[path = "../examples/embed_the_job.rs"]
mod embed_the_job;

#[tokio::test(flavor = "multi_thread")]
async fn the_embedded_job_gives_texts_of_its_archive() {
    let folder = tempfile::tempdir().unwrap();
    let (count, pages) = embed_the_job::run(folder.path()).await.unwrap();
    // Some 300 rows of general sites, as many as the example asks for, and those of the others.
    assert_eq!(count, 416);
    assert_eq!(pages.len(), 3);
    for (url, text) in pages {
        assert!(url.starts_with("http"), "{url}");
        assert!(text.chars().count() > 500, "{url}: {text}");
    }
}
