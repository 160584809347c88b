//! Reads JSON as pages write it.

use serde_json::{Deserializer, Value};

/// The values in a script, one after another. If it is not JSON, the usual mistakes of templates are
/// repaired: comments and CDATA around or inside of it, line ends and quotes inside of strings, single
/// quotes, missing and superfluous commas, missing brackets at the end.
pub(crate) fn values(script: &str) -> Vec<Value> {
    let text = script.trim().trim_start_matches('\u{feff}');
    let (strict, whole) = read(text);
    if whole {
        return strict;
    }
    let (lenient, _) = read(&repaired(text));
    if !lenient.is_empty() {
        return lenient;
    }
    // A template wrote the script as text of HTML.
    let unescaped = text.replace("&quot;", "\"").replace("&#34;", "\"");
    let (unescaped, _) = read(&repaired(&unescaped));
    if !unescaped.is_empty() {
        return unescaped;
    }
    before_error(&repaired(text)).unwrap_or_default()
}

/// The values before the first place that is not JSON: `"articleBody": "<a href="x">"` ends them.
fn before_error(repaired: &str) -> Option<Vec<Value>> {
    let error = serde_json::from_str::<Value>(repaired).err()?;
    // A repaired text is one line. The key before the place has no value.
    let before = repaired.get(..error.column().checked_sub(1)?)?;
    let (before, _) = before.rsplit_once(',')?;
    Some(read(&self::repaired(before)).0)
}

/// The objects and lists at the begin of a text, and whether it has nothing else.
fn read(text: &str) -> (Vec<Value>, bool) {
    let mut whole = true;
    let values = Deserializer::from_str(text).into_iter::<Value>();
    let values = values.map_while(|value| {
        let value = value
            .ok()
            .filter(|value| value.is_object() || value.is_array());
        whole &= value.is_some();
        value
    });
    (values.collect(), whole)
}

/// Texts around JSON that have no meaning in it, each with its end.
const COMMENTS: [(&str, &str); 5] = [
    ("/*", "*/"),
    ("//", "\n"),
    ("<!--", ""),
    ("-->", ""),
    ("]]>", ""),
];

/// A text as JSON. It reads each character once.
fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut closers = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '"' | '\'' => {
                separate(&mut out, &closers);
                string(&mut out, after, c)
            }
            '{' | '[' => {
                separate(&mut out, &closers);
                out.push(c);
                closers.push(if c == '{' { '}' } else { ']' });
                after
            }
            '}' | ']' => {
                without_comma(&mut out);
                // A bracket that closes nothing is left out.
                if closers.last() == Some(&c) {
                    closers.pop();
                    out.push(c);
                }
                after
            }
            ',' => {
                // Neither a second comma, nor one before the first value or between two scripts.
                if !closers.is_empty() && !out.trim_end().ends_with(['{', '[', ',', ':']) {
                    out.push(c);
                }
                after
            }
            _ => other(&mut out, rest, c, closers.is_empty()),
        };
    }
    without_comma(&mut out);
    out.extend(closers.iter().rev());
    out
}

/// Reads what is neither a string nor a bracket, and returns the text after it.
fn other<'t>(out: &mut String, rest: &'t str, c: char, outside: bool) -> &'t str {
    let after = &rest[c.len_utf8()..];
    if let Some(cdata) = rest.strip_prefix("<![CDATA[") {
        return cdata;
    }
    if let Some((begin, end)) = COMMENTS.iter().find(|(begin, _)| rest.starts_with(begin)) {
        let comment = &rest[begin.len()..];
        // `//<![CDATA[` and `/*]]>*/` are comments too, but JSON may begin in their line.
        if *begin == "//" && comment.trim_start().starts_with("<![CDATA[") {
            return comment;
        }
        return comment
            .find(end)
            .map_or("", |at| &comment[at + end.len()..]);
    }
    // Code around the data, such as `;`.
    if !outside {
        out.push(if c.is_control() { ' ' } else { c });
    }
    after
}

/// Writes the comma that is missing between two values of a list or an object.
fn separate(out: &mut String, closers: &[char]) {
    let ends_value = out
        .trim_end()
        .ends_with(|c: char| matches!(c, '"' | '}' | ']') || c.is_alphanumeric());
    if !closers.is_empty() && ends_value {
        out.push(',');
    }
}

/// Removes a comma before a bracket.
fn without_comma(out: &mut String) {
    if let Some(before) = out.trim_end().strip_suffix(',') {
        out.truncate(before.len());
    }
}

/// Writes the string that begins after its quote, and returns the text after it.
fn string<'t>(out: &mut String, text: &'t str, quote: char) -> &'t str {
    out.push('"');
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, escaped @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't'))) => {
                    out.extend(['\\', escaped]);
                }
                Some((at, 'u')) if is_code(&text[at + 1..]) => out.push_str("\\u"),
                Some((_, other)) => out.push(if other.is_control() { ' ' } else { other }),
                None => {}
            },
            c if c == quote && ends(&text[at + 1..]) => {
                out.push('"');
                return &text[at + 1..];
            }
            '"' => out.push_str("\\\""),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    ""
}

/// Whether a text begins with the four digits of `\u`.
fn is_code(text: &str) -> bool {
    text.len() >= 4 && text.as_bytes()[..4].iter().all(u8::is_ascii_hexdigit)
}

/// Whether a quote before this text ends its string: a value or a key ends before a mark or a line end.
/// Otherwise it is a quote of the sentence.
fn ends(after: &str) -> bool {
    let next = after.trim_start_matches([' ', '\t', '\r']);
    match next.chars().next() {
        Some(',') => {
            // `"a "b", c"` has the comma of a sentence: a key, a value or a line end follows that of JSON.
            let next = next[1..].trim_start_matches([' ', '\t', '\r']);
            next.is_empty()
                || next.starts_with(['"', '\'', '{', '[', '}', ']', ',', '\n', '/', '-'])
                || next.starts_with(|c: char| c.is_ascii_digit())
                || ["true", "false", "null"]
                    .iter()
                    .any(|word| next.starts_with(word))
        }
        Some(c) => matches!(c, ':' | '}' | ']' | '\n' | '/' | '"' | '<'),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::values;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn scripts_are_read_as_pages_write_them() {
        let expected = json!({"a": "b", "c": [1, "d"]});
        for script in [
            r#"{"a":"b","c":[1,"d"]}"#,
            "\u{feff}{\"a\":\"b\",\"c\":[1,\"d\"]}",
            r#"<!-- {"a":"b","c":[1,"d"]} -->"#,
            r#"<![CDATA[ {"a":"b","c":[1,"d"]} ]]>"#,
            "//<![CDATA[\n{\"a\":\"b\",\"c\":[1,\"d\"]}\n//]]>",
            r#"// <![CDATA[ {"a":"b","c":[1,"d"]} // ]]>"#,
            r#"/*<![CDATA[*/{"a":"b","c":[1,"d"]}/*]]>*/"#,
            r#"/* by hand */ {"a":"b", /* two */ "c":[1,"d"]}"#,
            "{\"a\":\"b\", // the first\n\"c\":[1,\"d\"]}",
            r#"{"a":"b","c":[1,"d",],}"#,
            r#"{"a":"b",,"c":[1,"d"]};"#,
            "{\"a\":\"b\"\n\"c\":[1 \"d\"]}",
            "{'a':'b','c':[1,'d']}",
            r#"{"a":"b","c":[1,"d"]}}"#,
            r#"{"a":"b","c":[1,"d""#,
            r"{&quot;a&quot;:&quot;b&quot;,&quot;c&quot;:[1,&quot;d&quot;]}",
        ] {
            assert_eq!(values(script), *std::slice::from_ref(&expected), "{script}");
        }
    }

    #[test]
    fn what_is_before_a_mistake_is_read() {
        for script in [
            r#"{"a":"b","c":"d, "e," f","g":1}"#,
            r#"{"a":"b","c":"d".,"e":"f"}"#,
            "{\"a\":\"b\",\n\"c\":=}",
        ] {
            assert_eq!(values(script)[0]["a"], "b", "{script}");
        }
    }

    #[test]
    fn strings_keep_their_text() {
        for (script, expected) in [
            ("{\"a\":\"b\nc\td\"}", "b c d"),
            (
                r#"{"a":"http://tea.example/*b*/"}"#,
                "http://tea.example/*b*/",
            ),
            ("{\"a\":\"http://b\",}", "http://b"),
            (r#"{"a":"the "green" tea"}"#, "the \"green\" tea"),
            (
                r#"{"a":"the "green", and black"}"#,
                "the \"green\", and black",
            ),
            (r#"{"a":"it\'s"}"#, "it's"),
            ("{\"a\":\"\u{1}x\\u00e9\"}", " x\u{e9}"),
            ("{'a':'say \"tea\"'}", "say \"tea\""),
            ("{\"a\":\"it's\",}", "it's"),
        ] {
            assert_eq!(values(script), [json!({"a": expected})], "{script}");
        }
    }

    #[test]
    fn a_script_has_several_values() {
        let two = [json!({"a": 1}), json!({"b": 2})];
        for script in [
            "{\"a\":1}{\"b\":2}",
            "{\"a\":1},{\"b\":2},",
            "{\"a\":1}\n{\"b\":2}",
        ] {
            assert_eq!(values(script), two, "{script}");
        }
        for script in ["", "null", "\"a\"", "window.x = 1;", "{\"a\""] {
            assert!(
                !values(script)
                    .iter()
                    .any(|value| value.get("a").is_some_and(|a| a.is_string())),
                "{script}"
            );
        }
    }

    proptest! {
        #[test]
        fn valid_json_is_read_as_it_is_and_no_text_is_too_odd(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "\\u00", "a", "1", "//", "/*", "*/", "\n", "<!--", "é",
            ]), 0..40)
        ) {
            let script = pieces.concat();
            let read = values(&script);
            if let Ok(value @ (serde_json::Value::Object(_) | serde_json::Value::Array(_)))
                = serde_json::from_str::<serde_json::Value>(&script)
            {
                prop_assert_eq!(read, [value]);
            }
        }
    }
}
