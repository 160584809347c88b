//! Formulas, as a reader of Markdown with math sees them, and dollars in other texts.

use crate::common;

use common::{convert, everything, formulas, of, rendered, rendered_with_math, text_of};

/// Checks the formulas that a reader with math finds.
fn assert_formulas(html: &str, expected: &[&str]) {
    let written = of(html);
    assert_eq!(formulas(&written), expected, "{written}");
}

/// Checks that readers with and without math see the text as it is.
fn assert_text(html: &str) {
    let written = of(html);
    let shown = convert(html, &everything()).texts.join("\n");
    assert_eq!(formulas(&written), Vec::<String>::new(), "{written}");
    assert_eq!(text_of(&rendered(&written)), shown, "{written}");
    assert_eq!(text_of(&rendered_with_math(&written)), shown, "{written}");
}

/// A sentence of jgrapht.org.
#[test]
fn formulas_keep_their_backslashes_and_underscores() {
    let html = "<p>A walk is $v_0, e_1, v_1, \\dotso, v_{k-1}$ and its length is $k$.";
    assert_eq!(
        of(html),
        "A walk is $v_0, e_1, v_1, \\dotso, v_{k-1}$ and its length is $k$.\n"
    );
    assert_formulas(html, &["v_0, e_1, v_1, \\dotso, v_{k-1}", "k"]);
    assert_formulas(
        "<p>$a*b*c^2$, $\\{x\\}$, $O(n \\log n)$, $[0,1]$, $x_i^{(k)}$, $\\|x\\|$, $AB$, $\\R$",
        &[
            "a*b*c^2",
            "\\{x\\}",
            "O(n \\log n)",
            "[0,1]",
            "x_i^{(k)}",
            "\\|x\\|",
            "AB",
            "\\R",
        ],
    );
}

#[test]
fn formulas_in_all_delimiters_are_between_dollars() {
    assert_formulas(
        "<p>$$\\sum_{i=1}^n x_i$$ and \\(x^2\\) and \\[ \\int_0^1 f(x)\\,dx \\] and <span>\\( \\alpha \\)</span>.",
        &["\\sum_{i=1}^n x_i", "x^2", "\\int_0^1 f(x)\\,dx", "\\alpha"],
    );
    assert_eq!(
        of("<p>So \\(x^2\\) and \\[\\alpha\\]"),
        "So $x^2$ and $$\\alpha$$\n"
    );
}

#[test]
fn formulas_stand_in_headings_items_cells_links_and_emphasis() {
    for (before, after) in [
        ("<h2>", "</h2>"),
        ("<ul><li>", "</ul>"),
        ("<blockquote>", "</blockquote>"),
        ("<p><b>", "</b>"),
        ("<p>See <a href=/x>the case ", "</a>"),
        ("<table><tr><td>a<td>b<tr><td>c<td>", "</table>"),
    ] {
        let html = format!("{before}$x_1 \\le |x_2|$ holds{after}");
        assert_formulas(&html, &["x_1 \\le |x_2|"]);
    }
}

#[test]
fn markup_inside_a_formula_is_left_out() {
    assert_eq!(
        of("<p>So $<i>v</i>_{<b>k</b>}$ and <em>the $x_1$ of all</em>."),
        "So $v_{k}$ and *the $x_1$ of all*.\n"
    );
    // Without math, the star would end the emphasis.
    assert_eq!(
        of("<p><em>the $a_1*b$ of</em> all."),
        "the $a_1*b$ of all.\n"
    );
}

/// Formulas of MathML and of KaTeX and MathJax, which blocks have as `$TeX$`.
#[test]
fn formulas_of_elements_are_formulas() {
    assert_formulas(
        "<p>So <math><semantics><mrow></mrow><annotation encoding='application/x-tex'>v_{k-1}\\dotso</annotation>\
         </semantics></math> and <script type='math/tex'>\\{a_1\\}</script>.",
        &["v_{k-1}\\dotso", "\\{a_1\\}"],
    );
}

#[test]
fn prices_and_variables_are_no_formulas() {
    for text in [
        "$5 and $6",
        "It costs $5.",
        "$5-$6, $7/$8",
        "from US$5 to US$7 or A$9",
        "about $10 (12 US$) a box",
        "$10 for a_1 and x^2 of the best teas, or 20 US$.",
        "set $HOME/bin:$PATH first",
        "$HOME/*:$PATH/*",
        "$$ cheap, $$$ dear, $$$$ dearer",
        "a $ b $ c",
        "\\(foo\\|bar\\) of sed, C:\\Tea\\(old\\)",
        "\\[a-z\\]",
        "\\(a\\)",
        "$`x_1`$",
        "$x_1",
        "\\(x_1",
        "$[a](javascript:x_1)$",
    ] {
        assert_text(&format!("<p>{text}"));
        assert_text(&format!("<h2>{text}</h2>"));
        assert_text(&format!("<ul><li>{text}</ul>"));
    }
    assert_text("<p>from $1031.8 (2000$) on");
    assert_eq!(of("<p>$5 and $6"), "$5 and $6\n");
    assert_eq!(
        of("<p>Now <b>$5</b>, not <b>$6</b>."),
        "Now **$5**, not **$6**.\n"
    );
    assert_eq!(of("<p>Set $HOME:$PATH"), "Set \\$HOME:$PATH\n");
}

/// On a page that loads MathJax or KaTeX, its delimiters are enough.
#[test]
fn delimiters_count_on_a_page_that_loads_mathjax() {
    let html = "<p>The triangle \\(ABC\\) with \\(a\\).";
    assert_eq!(of(html), "The triangle \\\\(ABC\\\\) with \\\\(a\\\\).\n");
    for load in [
        "<script src='https://cdn.example/npm/MathJax@3/es5/tex-mml-chtml.js'></script>",
        "<link rel=stylesheet href=/assets/katex.min.css>",
    ] {
        let html = format!("<head>{load}</head>{html}");
        assert_eq!(of(&html), "The triangle $ABC$ with $a$.\n");
    }
    let script = "<head><script src=mathjax.js></script></head>";
    assert_text(&format!("{script}<p>$5 and $6, set $HOME/bin:$PATH"));
}

#[test]
fn code_has_no_formulas() {
    assert_eq!(
        of("<p>Write <code>$v_{k}$</code> or <code>\\(x^2\\)</code>."),
        "Write `$v_{k}$` or `\\(x^2\\)`.\n"
    );
    assert_eq!(
        of("<pre>$v_{k}$ \\(x^2\\)</pre>"),
        "```\n$v_{k}$ \\(x^2\\)\n```\n"
    );
}

/// A formula cannot bring tags, code or links into the Markdown.
#[test]
fn a_formula_is_no_way_around_escapes() {
    let html = "<p>$x_1 &lt;script&gt;alert(1)&lt;/script&gt;$ and $a_1&lt;b$";
    let read = rendered(&of(html));
    assert!(!read.contains("<script") && !read.contains("<b"), "{read}");
    assert_formulas("<p>$a_1&lt;b$", &["a_1< b"]);
}
