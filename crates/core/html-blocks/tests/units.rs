//! Blocks are what a reader sees as one thing.

use html_blocks::{BlockOptions, SplitList, TextBlock, page};

fn blocks(html: &str) -> Vec<TextBlock> {
    let page = page(html.as_bytes(), None, &BlockOptions::default());
    page.expect("a page").blocks
}

fn texts(html: &str) -> Vec<String> {
    blocks(html).into_iter().map(|block| block.text).collect()
}

#[test]
fn inline_elements_never_cut_a_paragraph() {
    let sentence = "In spring Harbour Company bought a ferry.";
    for words in [
        "<a href=/h><span>Harbour Company</span></a>",
        "<span><a href=/h>Harbour Company</a></span>",
        "<span class=x><b>Harbour</b> <img src=i.png alt=x>Company</span>",
    ] {
        let html = format!("<p>In spring {words} bought a ferry.");
        assert_eq!(texts(&html), [sentence], "{html}");
        assert_eq!(&*blocks(&html)[0].dom_path, "p");
    }
    assert_eq!(
        texts("<p><span>One</span> <span>two</span></p>"),
        ["One two"]
    );
}

/// Elsewhere the text beside a span decides: a sentence, or a line of names and dates.
#[test]
fn a_span_in_a_sentence_is_part_of_it_and_one_in_a_line_of_spans_is_not() {
    for (html, expected) in [
        ("<li>The <span>old</span> bridge", &["The old bridge"][..]),
        (
            "<td><span>Harbour Company</span> bought a ferry",
            &["Harbour Company bought a ferry"],
        ),
        (
            "<div><span>Ann</span> | <span>3 May</span></div>",
            &["Ann", "|", "3 May"],
        ),
        (
            "<h1><a href=/>#12</a> <span>(closed)</span></h1>",
            &["#12", "(closed)"],
        ),
        (
            "<h2>The ferry <span>again</span></h2>",
            &["The ferry again"],
        ),
    ] {
        let html = html.replace("<td>", "<table><tr><td>");
        assert_eq!(texts(&html), expected, "{html}");
    }
}

#[test]
fn code_is_one_block_and_keeps_its_lines() {
    let html = "<div class=highlight><pre class=comments><code><span class='hljs-comment'># ferry\n\
                </span>def sail():\r\n    <span class=k>return</span> <b>1</b>\n\n\n</code></pre></div>";
    let [block] = &blocks(html)[..] else {
        panic!("{:?}", texts(html))
    };
    assert_eq!(block.text, "# ferry\ndef sail():\n    return 1");
    assert_eq!(&*block.dom_path, "div.highlight>pre.comments");
    for lines in [
        "<pre><div>one</div><div>  two</div></pre>",
        "<pre><ol><li>one\n<li>  two</ol></pre>",
        "<pre>one<br>  two</pre>",
        "<pre>\n\none   \n  two\n</pre>",
        "<xmp>one\n  two</xmp>",
    ] {
        assert_eq!(texts(lines), ["one\n  two"], "{lines}");
    }
    // Elements of a page that a `pre` was left open around.
    let open = "<pre>one\ntwo<h2>Three</h2><p>four\nfive</p>six";
    assert_eq!(texts(open), ["one\ntwo", "Three", "four five", "six"]);
}

#[test]
fn numbers_of_lines_are_not_text() {
    for html in [
        "<table><tr><td class=gutter><pre><span class=line>1</span><br><span class=line>2</span></pre>\
         <td class=code><pre>let a;\nlet b;</pre></table>",
        "<pre class='linenos'>7</pre><pre>let a;\nlet b;</pre>",
        "<pre><span class=lineno>1 </span>let a;\n<span class=lineno>2 </span>let b;</pre>",
        "<pre><a href=#l1 class=l>1</a>let a;\n<a href=#l2 class=l>2</a>let b;</pre>",
    ] {
        let found: Vec<String> = texts(html)[0]
            .lines()
            .map(|line| line.trim().to_owned())
            .collect();
        assert_eq!(
            (texts(html).len(), &found[..]),
            (1, &["let a;".to_owned(), "let b;".to_owned()][..]),
            "{html}"
        );
    }
    assert_eq!(texts("<pre>1\n2\n5</pre>"), ["1\n2\n5"]);
}

#[test]
fn exponents_are_not_digits_of_their_base() {
    for (html, expected) in [
        ("<p>Some 10<sup>6</sup> volts.", "Some 10^6 volts."),
        (
            "<p>Some 10<sup>-3 </sup>m<sup>2</sup>, a<sup>n+1</sup>.",
            "Some 10^-3 m^2, a^(n+1).",
        ),
        ("<pre>x<sup>2</sup>\n  y", "x^2\n  y"),
        (
            "<p>The 1<sup>st</sup> of May 1990<sup>2</sup>",
            "The 1st of May 19902",
        ),
        ("<p>As said <sup>14</sup>C", "As said 14C"),
        ("<p>in 10<sup><a href='#n'>2</a></sup>", "in 102"),
    ] {
        assert_eq!(texts(html), [expected], "{html}");
    }
}

#[test]
fn formulas_are_tex_once() {
    let math = "<math><semantics><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>\
                <annotation encoding='application/x-tex'>a+b</annotation></semantics></math>";
    for formula in [
        math.to_owned(),
        format!(
            "<span class=katex><span class=katex-mathml>{math}</span>\
             <span class=katex-html aria-hidden=true><span>a</span><span>+</span><span>b</span></span></span>"
        ),
        "<math alttext='a+b'><mi>a</mi><mo>+</mo><mi>b</mi></math>".to_owned(),
        "<span class='mwe-math-mathml-inline' style='display: none;'>\
         <math alttext='{\\displaystyle a+b}'><mi>a</mi></math></span><img src=m.svg alt=x>"
            .to_owned(),
        format!(
            "<mjx-container><mjx-math aria-hidden=true>a+b</mjx-math><mjx-assistive-mml>{math}</mjx-assistive-mml></mjx-container>"
        ),
        "<span class=MathJax_Preview>a+b</span><script type='math/tex'>a+b</script>".to_owned(),
    ] {
        let html = format!("<p>The sum {formula} is small.");
        assert_eq!(texts(&html), ["The sum $a+b$ is small."], "{html}");
    }
    assert_eq!(texts("<p>So <math><mi>x</mi></math>."), ["So x."]);
}

#[test]
fn what_readers_do_not_read_as_text_is_dropped() {
    for (html, expected) in [
        (
            "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>を書いた",
            "漢字を書いた",
        ),
        (
            "<p>Donau\u{ad}dampf&shy;schiff &#8203;fährt",
            "Donaudampfschiff fährt",
        ),
        (
            "<h2>Ports<a class=headerlink href='#ports'>¶</a></h2>",
            "Ports",
        ),
        ("<h2><a href='#ports'>#</a> Ports</h2>", "Ports"),
        ("<p>As said<a href='#n1'>[1]</a>.", "As said[1]."),
        ("<p>Home <i aria-hidden=true>home</i> page", "Home page"),
    ] {
        assert_eq!(texts(html), [expected], "{html}");
    }
}

/// A hidden text is in its block, whose path says so: a rule decides.
#[test]
fn hidden_elements_are_named_in_the_path() {
    let html = "<p hidden>one</p><div style='color:red; display:none'><p>two</div><dialog>three</dialog>\
                <p>four <span hidden>five</span> six</p><p>seven <b hidden>eight</b> nine</p>";
    let found: Vec<(String, String)> = blocks(html)
        .into_iter()
        .map(|block| (block.dom_path.to_string(), block.text))
        .collect();
    let expected = [
        ("p[hidden]", "one"),
        ("div[hidden]>p", "two"),
        ("dialog[hidden]", "three"),
        ("p", "four"),
        ("p>span[hidden]", "five"),
        ("p", "six"),
        ("p", "seven nine"),
    ];
    assert_eq!(
        found,
        expected.map(|(path, text)| (path.to_owned(), text.to_owned()))
    );
    let shadow = "<div><template shadowrootmode=open><p>shown</p></template><template><p>not</template></div>";
    assert_eq!(texts(shadow), ["shown"]);
}

#[test]
fn blocks_of_the_paper_are_as_they_were() {
    let mut options = BlockOptions::default();
    options.split = SplitList::Original;
    let html = "<p>a<span>b</span><ruby>c<rt>d</rt></ruby></p><pre>e\nf</pre><p hidden>g</p>h<script type='math/tex'>x</script>i";
    let page = page(html.as_bytes(), None, &options).expect("a page");
    let texts: Vec<&str> = page
        .blocks
        .iter()
        .map(|block| block.text.as_str())
        .collect();
    assert_eq!(texts, ["a", "b", "c", "d", "e f", "g", "h", "i"]);
    assert!(
        page.blocks
            .iter()
            .all(|block| !block.dom_path.contains("hidden"))
    );
}
