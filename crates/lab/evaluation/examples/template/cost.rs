//! The cost of the template, compared with the rest of the work for a page.

use std::time::Instant;

use template::{BlockCounts, Template, first_equal};
use url_tree::{DomainReplay, Entry, Heuristic, WindowOptions};

use crate::sites::{Page, Site};

/// Measures time and memory over all pages of all sites. Each window has all pages of its
/// site.
pub(crate) fn table(sites: &[Site]) -> String {
    let pages: usize = sites.iter().map(|site| site.pages.len()).sum();
    let parsing: f64 = sites
        .iter()
        .flat_map(|site| &site.pages)
        .map(|page| page.parsing)
        .sum();
    let window = WindowOptions {
        max_age_micros: i64::MAX,
        ..WindowOptions::default()
    };

    let (before, began) = (resident(), Instant::now());
    let mut trees = Vec::new();
    for site in sites {
        let mut tree = DomainReplay::new(site.domain_labels, Heuristic::default(), window);
        for page in &site.pages {
            let Page {
                time_micros,
                branch,
                blocks,
                ..
            } = page;
            tree.insert(Entry {
                time_micros: *time_micros,
                branch,
                hashes: &blocks.hashes,
            });
            std::hint::black_box(tree.label(branch, &blocks.hashes));
        }
        trees.push(tree);
    }
    let (with_trees, tree_seconds) = (resident(), began.elapsed().as_secs_f64());

    let counts: Vec<Vec<(u32, Vec<u32>)>> = sites
        .iter()
        .zip(&trees)
        .map(|(site, tree)| {
            let of = |page: &Page| {
                let domain = tree
                    .counts(&page.branch, &page.blocks.hashes)
                    .into_iter()
                    .next();
                domain.map_or((0, Vec::new()), |domain| (domain.support, domain.counts))
            };
            site.pages.iter().map(of).collect()
        })
        .collect();
    let (before_templates, began) = (resident(), Instant::now());
    let mut templates = Vec::new();
    let mut numbers = Vec::with_capacity(pages);
    for (site, counts) in sites.iter().zip(&counts) {
        let mut template = Template::default();
        for (page, (pages, counts)) in site.pages.iter().zip(counts) {
            let outline = page.blocks.outline();
            let counts = BlockCounts {
                pages: *pages,
                blocks: counts,
                first: &first_equal(&page.blocks.hashes),
            };
            let slots = template.page_paths(&outline, counts);
            numbers.push(slots.paths.len());
            template.insert(&slots);
            std::hint::black_box(template.label(&outline, counts));
        }
        templates.push(template);
    }
    let (with_templates, seconds) = (resident(), began.elapsed().as_secs_f64());

    let per_page = |seconds: f64| seconds * 1e6 / pages as f64;
    let bytes = |from: Option<u64>, to: Option<u64>| -> String {
        let grown = from.zip(to).map(|(from, to)| to.saturating_sub(from));
        grown.map_or_else(String::new, |bytes| {
            format!("{:.0}", bytes as f64 / pages as f64)
        })
    };
    let mean = numbers.iter().sum::<usize>() as f64 / pages as f64;
    let most = numbers.iter().max().copied().unwrap_or_default();
    let table = format!(
        "| over {pages} pages | microseconds per page | bytes per page of the window |\n\
         |---|---|---|\n\
         | HTML to blocks | {:.1} | |\n\
         | URL Tree | {:.1} | {} |\n\
         | template | {:.1} | {} |\n\n\
         A page has {mean:.1} slots, the greatest {most}.\n",
        per_page(parsing),
        per_page(tree_seconds),
        bytes(before, with_trees),
        per_page(seconds),
        bytes(before_templates, with_templates),
    );
    drop((trees, templates));
    table
}

/// Returns the resident bytes of the process, if the system reports them.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(resident * 4096)
}
