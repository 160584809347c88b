//! Small pages in each format, including the quirks of the published sets.
//!
//! The files are made by hand, modelled on the published ones.

use gold::{Comments, File, Format, GoldError, GoldPage, Label, Labels, json, json_lines};

fn file<'f>(name: &'f str, bytes: &'f (impl AsRef<[u8]> + ?Sized)) -> File<'f> {
    let bytes = bytes.as_ref();
    File { name, bytes }
}

fn gold(format: Format, name: &str, bytes: &(impl AsRef<[u8]> + ?Sized)) -> GoldPage {
    format.read(None, file(name, bytes)).expect("a gold text")
}

#[test]
fn blocks_of_a_cleaneval_gold_become_lines() {
    let text = "\u{feff}\r\n URL: http://a.eu/storm.html \r\n\r\n   <h>Storm in\r\n     Celje\r\n\r\n\
                <P>Trees fell, <l>a roof <b>flew</b> <!-- so -->\r\n  <p>\r\n<L>* 5 < 6 & 7&#8217;s</l>\r\n";
    let read = gold(Format::CleanEval, "7-cleaned.txt", text);
    assert_eq!(read.id, "7");
    assert_eq!(read.url.as_deref(), Some("http://a.eu/storm.html"));
    assert_eq!(
        read.text,
        "Storm in Celje\nTrees fell,\na roof <b>flew</b> <!-- so -->\n* 5 < 6 & 7’s"
    );
    assert_eq!((read.title, read.html, read.charset), (None, None, None));
}

#[test]
fn a_cleaneval_gold_may_lack_url_and_markers() {
    let read = |text: &str| {
        let read = gold(Format::CleanEval, "161.txt", text);
        (read.url, read.text)
    };
    let url = || Some("http://a.eu/".to_owned());
    // In the final set 155 gold files begin with the text, and one has URL: inside it.
    let none = "<h> Storm\n\n<p> See\nURL: www.a.eu\n";
    assert_eq!(read(none), (None, "Storm\nSee URL: www.a.eu".to_owned()));
    assert_eq!(read("Storm in Celje"), (None, "Storm in Celje".to_owned()));
    assert_eq!(read("URL: \n<p>Storm"), (None, "Storm".to_owned()));
    assert_eq!(read("url: http://a.eu/\n"), (url(), String::new()));
    assert_eq!(read("URL: http://a.eu/"), (url(), String::new()));
    assert_eq!(read("URLs are names"), (None, "URLs are names".to_owned()));
    assert_eq!(read(""), (None, String::new()));
}

#[test]
fn the_wrapper_of_a_cleaneval_page_is_removed() {
    let html = b"\n<html><body>caf\xE9 \x80 </text> of a page</body></html>\r\n\n".to_vec();
    let mut page = b"\n<text id=\"http://a.eu/?a=1&amp;copy=2&b\" \
        title=\"Caf\xE9 &quot;A > B&quot;\n &#8211; Celje\" encoding=\"iso-8859-1\">"
        .to_vec();
    page.extend_from_slice(&html);
    page.extend_from_slice(b"</text>\n\n");
    let gold = file("6.txt", "URL: http://other.eu/\n<p>caf\u{e9}");
    let read = Format::CleanEval
        .read(Some(file("6.html", &page)), gold)
        .expect("a page");
    assert_eq!(read.html, Some(html));
    assert_eq!(read.url.as_deref(), Some("http://a.eu/?a=1&copy=2&b"));
    assert_eq!(read.title.as_deref(), Some("Café \"A > B\" – Celje"));
    assert_eq!(read.charset, Some("windows-1252"));
    assert_eq!(read.text, "café");
}

#[test]
fn a_cleaneval_wrapper_states_the_charset_if_it_is_known() {
    let read = |tag: &[u8]| {
        let page = [tag, b"\n<p>x\n</text>"].concat();
        let page = file("1.html", &page);
        let read = Format::CleanEval.read(Some(page), file("1.txt", "<p>x"));
        let read = read.expect("a page");
        assert_eq!(read.html.as_deref(), Some(&b"\n<p>x\n"[..]));
        (read.charset, read.title, read.url)
    };
    let title = |title: &str| Some(title.to_owned());
    let korean = b"<text id=\"u\" title=\"\xB1\xB9\xB9\xAB\" encoding=\"euc-kr\">";
    assert_eq!(
        read(korean),
        (Some("EUC-KR"), title("국무"), Some("u".to_owned()))
    );
    let utf8 = "<text title=\"Čaj\" encoding=\"utf8\">".as_bytes();
    assert_eq!(read(utf8), (Some("UTF-8"), title("Čaj"), None));
    let unset = b"<TEXT encoding=\"unset\" title='it\x92s'>";
    assert_eq!(read(unset), (None, title("it’s"), None));
    let unknown = b"<text title=\"\" encoding=\"unknown-us-ascii\">";
    assert_eq!(read(unknown), (None, None, None));
    assert_eq!(read(b"<text>"), (None, None, None));
    // Not UTF-16, because the tag was read as ASCII.
    assert_eq!(read(b"<text encoding=utf-16>"), (Some("UTF-8"), None, None));
}

#[test]
fn a_cleaneval_page_without_wrapper_is_unchanged() {
    for html in ["<html><text>svg</text>", "<texture>", "", "<tex"] {
        let page = Some(file("1.html", html));
        let gold = file("1.txt", "URL: http://a.eu/\n<p>x");
        let read = Format::CleanEval.read(page, gold).expect("a page");
        assert_eq!(read.html.as_deref(), Some(html.as_bytes()));
        assert_eq!(read.url.as_deref(), Some("http://a.eu/"));
    }
}

/// A page as an annotator's browser serialises it.
const ANNOTATED: &str = r#"<html><head><style>.x-nc-sel2 { color: black }</style>
<title>Storm in Celje - News</title></head><body>
<ul><li><a href="/"><span class="x-nc-sel0">Home</span></a></li><li>Sport</li></ul>
<h1><span class="x-nc-sel1">Storm in <em>Celje</em></span></h1><span class="x-nc-sel3">By A. B.</span>
<p><span class="x-nc-sel2"><span class="x-nc-sel2">Tr</span><b><span class="x-nc-sel2">ees</span></b>
 fell.<div><span class="big">A&nbsp;roof <span class="x-nc-sel0">[advert]</span>flew.</span></div>
<script>var x = "</span>";</script></span></p>
<p><span class="x-nc-sel2">Nobody</span> <i class="x"><span class="wide x-nc-sel2">was</span></i>
<span class="x-nc-sel2">hurt<br>so far.</span></p>
<div><span class="x-nc-sel4">Storm of 2008</span></div>
<div><span class="x-nc-sel5">First! <span class="x-nc-sel2">(the editor)</span></span></div>
</body></html>"#;

#[test]
fn an_l3s_gn1_gold_is_the_text_with_the_given_labels() {
    let read = |labels| gold(Format::L3sGn1(labels), "4a3c-d9.html", ANNOTATED);
    let article = read(Labels::default());
    assert_eq!(article.id, "4a3c-d9");
    assert_eq!(article.title.as_deref(), Some("Storm in Celje"));
    let body = "Trees fell.\nA\u{a0}roof flew.\nNobody was hurt\nso far.\n(the editor)";
    assert_eq!(article.text, format!("Storm in Celje\n{body}"));
    let supplemental = read(Labels::ARTICLE_AND_SUPPLEMENTAL);
    assert_eq!(
        supplemental.text,
        format!("Storm in Celje\nBy A. B.\n{body}")
    );
    let others = Labels::new(&[
        Label::NotContent,
        Label::RelatedContent,
        Label::UserComments,
    ]);
    // Text without a label is left out as well: it was not annotated.
    assert_eq!(read(others).text, "Home\n[advert]\nStorm of 2008\nFirst!");
    assert_eq!(read(Labels::new(&[])).text, "");
    assert!(others.contains(Label::UserComments) && !others.contains(Label::Headline));
}

#[test]
fn a_label_covers_blocks_inside_its_span() {
    // A tree builder would end the paragraph and its span at <div>.
    let html = "<p><span class=x-nc-sel2>Trees<div>fell.</div>Roofs</span> flew.</p>";
    let read = gold(Format::L3sGn1(Labels::ARTICLE), "1.html", html);
    assert_eq!(read.text, "Trees\nfell.\nRoofs");
    assert_eq!(read.title, None);
}

#[test]
fn the_html_of_l3s_gn1_is_the_original_page() {
    let page = file("1.html", b"<h1>caf\xE9</h1>");
    let annotated = file("1.html", "<h1><span class=x-nc-sel1>café</span></h1>");
    let read = Format::L3sGn1(Labels::ARTICLE)
        .read(Some(page), annotated)
        .expect("a gold text");
    assert_eq!(read.html.as_deref(), Some(&b"<h1>caf\xE9</h1>"[..]));
    assert_eq!((read.charset, read.text.as_str()), (None, "café"));
}

#[test]
fn urls_of_l3s_gn1_come_from_its_mapping() {
    let mapping = "<urn:uuid:4a3c-d9> http://a.eu/storm\r\n\n<urn:uuid:5b>\thttp://b.eu/?x=<y>\n";
    let urls = gold::l3s_gn1_urls(file("url-mapping.txt", mapping)).expect("a mapping");
    assert_eq!(urls[0], ("4a3c-d9".into(), "http://a.eu/storm".into()));
    assert_eq!(urls[1], ("5b".into(), "http://b.eu/?x=<y>".into()));
    assert_eq!(urls.len(), 2);
    for wrong in [
        "4a3c http://a.eu/",
        "<urn:uuid:4a3c> ",
        "<urn:uuid:> u",
        "<urn:uuid:4",
    ] {
        let bytes = format!("<urn:uuid:1> u\n{wrong}\n");
        let error = gold::l3s_gn1_urls(file("m.txt", &bytes)).expect_err(wrong);
        assert_eq!(
            error.to_string(),
            "m.txt:2: the line is not of the form `<urn:uuid:ID> URL`"
        );
    }
}

#[test]
fn a_boilernet_gold_is_the_text_with_label_1() {
    let html = "<title><span __boilernet_label=0>News</span></title>\
        <p><span __boilernet_label=\"0\">Home</span> <b><span __boilernet_label=\"1\">Tr</span></b>\
        <span class=\"a\" __boilernet_label=\"1\">ees fell.</span></p><p>\
        <span __boilernet_label=1>Roofs <span>flew.</span></span></p>";
    let read = gold(Format::BoilerNet, "1.html", html);
    assert_eq!(read.text, "Trees fell.\nRoofs flew.");
    assert_eq!((read.id.as_str(), read.title), ("1", None));
}

#[test]
fn a_dragnet_gold_ends_before_its_comments() {
    let read = |text: &str, comments| {
        let read = gold(Format::Dragnet(comments), "R2.html.corrected.txt", text);
        assert_eq!(read.id, "R2");
        read.text
    };
    for mark in [
        "!@#$%^&*()  COMMENTS",
        "!@#$%^&*()",
        " !@#$%^&*()\tCORRECTED",
    ] {
        let text = format!("\r\nStorm\r\n\r\nTrees fell.\r\n\r\n{mark}\r\n\r\nFirst!\r\n");
        assert_eq!(read(&text, Comments::Dropped), "Storm\n\nTrees fell.");
        let kept = read(&text, Comments::Kept);
        assert_eq!(kept, "Storm\n\nTrees fell.\n\n\nFirst!");
    }
    let without = "He said !@#$%^&*() COMMENTS\n";
    assert_eq!(read(without, Comments::Dropped), without.trim());
    assert_eq!(read("!@#$%^&*() COMMENTS\nFirst!", Comments::Dropped), "");
}

#[test]
fn a_plain_gold_keeps_its_lines() {
    let read = gold(
        Format::Plain,
        "7.txt",
        b"\xFF\xFEA\0\r\0\n\0\r\0\n\0<\0p\0>\0\n\0",
    );
    assert_eq!(read.text, "A\n\n<p>");
}

fn ids(read: Result<Vec<GoldPage>, GoldError>) -> Vec<String> {
    let pages = read.expect("gold texts");
    pages.into_iter().map(|page| page.id).collect()
}

#[test]
fn a_json_gold_may_be_an_object_or_a_text() {
    let bytes = "\u{feff}{\"b\": {\"url\": \"http://a.eu/\", \"articleBody\": \"Trees\\nfell.\", \
                 \"score\": [1, {}]},\n \"a\": \"Storm\", \"c.html\": {\"text\": \"\"}}";
    let read = json(file("ground-truth.json", bytes));
    // The order is that of the file.
    assert_eq!(ids(read), ["b", "a", "c.html"]);
    let pages = json(file("ground-truth.json", bytes)).expect("gold texts");
    assert_eq!(pages[0].text, "Trees\nfell.");
    assert_eq!(pages[0].url.as_deref(), Some("http://a.eu/"));
    assert_eq!((pages[1].text.as_str(), &pages[1].url), ("Storm", &None));
    assert_eq!(pages[2].text, "");
    assert_eq!(ids(json(file("a.json", "{}"))), [""; 0]);
}

#[test]
fn each_json_line_is_a_gold_text() {
    let bytes = r#"{"page_id": "1f", "plaintext": "Storm", "source": ["cetd", "BBC_1"], "url": "http://a.eu/"}

{"url": "http://b.eu/", "gold_text": "Vihar", "language": "sl", "title": "V"}
{"id": "3", "text": ""}
"#;
    let pages = json_lines(file("gold.jsonl", bytes)).expect("gold texts");
    assert_eq!(pages.len(), 3);
    assert_eq!(
        (pages[0].id.as_str(), pages[0].text.as_str()),
        ("1f", "Storm")
    );
    assert_eq!(pages[0].url.as_deref(), Some("http://a.eu/"));
    assert_eq!(pages[1].id, "http://b.eu/");
    assert_eq!(pages[1].url.as_deref(), Some("http://b.eu/"));
    assert_eq!(
        (pages[1].lang.as_deref(), pages[1].title.as_deref()),
        (Some("sl"), Some("V"))
    );
    assert_eq!((pages[2].id.as_str(), &pages[2].url), ("3", &None));
    assert_eq!(ids(json_lines(file("a.jsonl", ""))), [""; 0]);
}
