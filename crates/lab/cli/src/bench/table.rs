//! Markdown tables, and medians.

/// Formats a table with a left-aligned first column and right-aligned numbers.
pub(crate) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let mut text = line(&head);
    let rule: Vec<String> = (0..head.len())
        .map(|at| if at == 0 { "---" } else { "--:" }.to_owned())
        .collect();
    text.push_str(&line(&rule));
    rows.into_iter().for_each(|row| text.push_str(&line(&row)));
    text
}

/// Returns the median of some values, or NaN if there are none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
