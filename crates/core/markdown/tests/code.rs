//! The language of code, as highlighters mark it up, and its fences.

use crate::common;

use common::{of, rendered};

#[test]
fn the_language_is_the_word_after_the_fence() {
    for (html, language) in [
        // HTML's own example, Prism, highlight.js.
        ("<pre><code class=language-js>x</code></pre>", "js"),
        (
            "<pre class='line-numbers language-css'><code>x</code></pre>",
            "css",
        ),
        ("<pre><code class='lang-py'>x</code></pre>", "py"),
        ("<pre><code class='hljs python'>x</code></pre>", "python"),
        ("<pre><code class='python hljs'>x</code></pre>", "python"),
        (
            "<pre class=lang-cpp><code class='hljs language-cpp'>x</code></pre>",
            "cpp",
        ),
        // SyntaxHighlighter, Crayon, EnlighterJS, Confluence.
        ("<pre class='brush: rust; gutter: false'>x</pre>", "rust"),
        ("<pre class='lang:ruby decode:true'>x</pre>", "ruby"),
        (
            "<pre class=EnlighterJSRAW data-enlighter-language=php>x</pre>",
            "php",
        ),
        (
            "<pre class=syntaxhighlighter-pre data-syntaxhighlighter-params='brush: java; theme: Eclipse'>x</pre>",
            "java",
        ),
        // GitHub, GitLab, READMEs on package registries.
        (
            "<div class='highlight highlight-source-shell'><pre>x</pre></div>",
            "shell",
        ),
        (
            "<div class='highlight highlight-text-html-basic'><pre>x</pre></div>",
            "html",
        ),
        (
            "<pre class='code highlight js-syntax-highlight language-go' lang=go data-canonical-lang=go>x</pre>",
            "go",
        ),
        ("<pre lang=rust><code>x</code></pre>", "rust"),
        // Jekyll with Rouge, Hugo, Sphinx, Pandoc, Asciidoctor, MediaWiki, Redmine, rustdoc.
        (
            "<div class='language-rb highlighter-rouge'><div class=highlight><pre class=highlight><code>x</code></pre></div></div>",
            "rb",
        ),
        (
            "<figure class=highlight><pre><code class=language-go data-lang=go>x</code></pre></figure>",
            "go",
        ),
        (
            "<div class='highlight-python notranslate'><div class=highlight><pre>x</pre></div></div>",
            "python",
        ),
        (
            "<div class=sourceCode><pre class='sourceCode haskell'><code class='sourceCode haskell'>x</code></pre></div>",
            "haskell",
        ),
        (
            "<pre class='rouge highlight'><code data-lang=xml>x</code></pre>",
            "xml",
        ),
        (
            "<div class='mw-highlight mw-highlight-lang-lua mw-content-ltr'><pre>x</pre></div>",
            "lua",
        ),
        (
            "<pre><code class='ruby syntaxhl' data-language=ruby>x</code></pre>",
            "ruby",
        ),
        (
            "<pre class='rust rust-example-rendered'><code>x</code></pre>",
            "rust",
        ),
        // Docusaurus, Gatsby, Shiki.
        (
            "<div class='language-jsx codeBlockContainer_Ckt0'><div><pre class='prism-code language-jsx'><code>x</code></pre></div></div>",
            "jsx",
        ),
        (
            "<div class=gatsby-highlight data-language=ts><pre>x</pre></div>",
            "ts",
        ),
        (
            "<pre class=shiki data-language=toml><code>x</code></pre>",
            "toml",
        ),
        // The nearest one counts.
        (
            "<div class=language-python><pre><code class=language-js>x</code></pre></div>",
            "js",
        ),
        (
            "<pre class=language-text><code class=language-js>x</code></pre>",
            "js",
        ),
        // No language of programs.
        ("<pre>x</pre>", ""),
        ("<pre lang=en>x</pre>", ""),
        ("<div class='post lang-en'><pre>x</pre></div>", ""),
        ("<div data-lang=de><pre>x</pre></div>", ""),
        (
            "<div class='highlighter-rouge'><pre class=highlight><code>x</code></pre></div>",
            "",
        ),
        ("<pre class=language-none>x</pre>", ""),
        ("<pre class='hljs'>x</pre>", ""),
    ] {
        assert_eq!(of(html), format!("```{language}\nx\n```\n"), "{html}");
    }
}

#[test]
fn code_with_backticks_has_a_longer_fence() {
    for code in ["`", "``` x", "a\n````\nb", "~~~\n```"] {
        let read = rendered(&of(&format!("<pre class=language-md>{code}</pre>")));
        let expected = format!("<pre><code class=\"language-md\">{code}\n</code></pre>\n");
        assert_eq!(read, expected);
    }
}

/// Highlighters put words of code into `b` and `i`. Their positions are those of the source.
#[test]
fn code_that_begins_with_a_space_has_markup_of_any_script() {
    let written = of("<pre>  чай<b>中</b> = <i>é</i></pre><p>After");
    assert_eq!(written, "```\nчай中 = é\n```\n\nAfter\n");
}
