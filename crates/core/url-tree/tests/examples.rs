//! The example runs and prints the labels that its comments describe.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the test calls `run` of a binary, not `main`"
)]
#[path = "../examples/clean_a_site.rs"]
mod clean_a_site;

#[test]
fn clean_a_site_keeps_the_stories_of_a_section() {
    let mut out = Vec::new();
    clean_a_site::run(&mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    let (pages, end) = out.rsplit_once("\n\n").unwrap();
    let stories = [
        "An oak is 900 years old",
        "Ash trees recover",
        "The elm is back",
        "Forecast",
        "Birches in bloom",
    ];
    let expected = stories.map(|story| {
        format!(
            "- 5/5 Home | Trees | Weather\n\
             + 1/5 {story}\n\
             - 5/5 More on trees\n\
             - 5/5 Printed on recycled leaves"
        )
    });
    assert_eq!(pages.split("\n\n").collect::<Vec<_>>(), expected);
    assert_eq!(end, "0 evicted, 8 in the window\n");
}
