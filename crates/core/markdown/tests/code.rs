//! Code with markup inside.

use crate::common;

use common::of;

/// Highlighters put words of code into `b` and `i`. Their positions are those of the source.
#[test]
fn code_that_begins_with_a_space_has_markup_of_any_script() {
    let written = of("<pre>  чай<b>中</b> = <i>é</i></pre><p>After");
    assert_eq!(written, "```\nчай中 = é\n```\n\nAfter\n");
}
