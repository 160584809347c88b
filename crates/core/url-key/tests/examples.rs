//! The examples run and print what their documentation says.

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the test calls `run` of a binary, not `main`"
)]
#[path = "../examples/url_keys.rs"]
mod url_keys;

#[test]
fn url_keys_prints_keys_and_errors() {
    let urls = [
        "https://www.example.com/a/?id=7&utm_source=x#top",
        "http://www.example.com/a?id=7",
        "http://www.example.com/b/?utm_source=x",
        "ftp://example.com/a",
    ];
    let mut out = Vec::new();
    let printed = url_keys::run(urls.map(str::to_owned), &mut out);
    printed.expect("a vector can be written");
    let out = String::from_utf8(out).expect("the output is UTF-8");
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').collect()).collect();
    let key = "http://www.example.com/a?id=7";
    assert_eq!(lines[0][1..], ["example.com", key]);
    assert_eq!(lines[1][1..], ["example.com", key]);
    assert_eq!(lines[2][1..], ["example.com", "http://www.example.com/b"]);
    assert_eq!(
        lines[3][1..],
        ["`ftp` is not a scheme of web pages, which have http or https"]
    );
}
