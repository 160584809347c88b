//! The kinds of page that a page declares itself to be.

use memchr::memmem;

use crate::observer::{Observer, Opened};

/// The kinds that a page declares to be: by `og:type` and `article:*` of Open Graph, and by the types of schema.org
/// in microdata and JSON-LD. A set of [`Self::NAMES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    kinds: u16,
    /// The open script is JSON-LD.
    in_json: bool,
}

impl Declared {
    /// The kinds, one bit each, lowest first. Those that begin with `og_` are of Open Graph: the values of
    /// `og:type`, dates of an article, and other properties of an article. The others are types of
    /// schema.org. All are hints: of the articles of WCXB two thirds say `og_article`, and of its products and
    /// collections a tenth.
    pub const NAMES: [&str; 13] = [
        "og_article",
        "og_website",
        "og_product",
        "og_other",
        "og_article_date",
        "og_article_property",
        "article",
        "product",
        "list",
        "discussion",
        "breadcrumbs",
        "service",
        "blog",
    ];

    /// The kinds as bits, in the order of [`Self::NAMES`].
    pub fn bits(self) -> u16 {
        self.kinds
    }

    fn add(&mut self, kind: usize) {
        self.kinds |= 1 << kind;
    }

    fn read_meta(&mut self, tag: &Opened<'_>) {
        let property = tag.attribute("property").or_else(|| tag.attribute("name"));
        let property = property.unwrap_or_default().to_ascii_lowercase();
        match property.trim().split_once(':') {
            Some(("og", "type")) => {
                let value = tag.attribute("content").unwrap_or_default();
                let value = value.trim().to_ascii_lowercase();
                self.add(match value.trim_start_matches("og:") {
                    of if of.starts_with("article") => 0,
                    of if of.starts_with("website") => 1,
                    of if of.starts_with("product") => 2,
                    _ => 3,
                });
            }
            Some(("article", "published_time" | "modified_time")) => self.add(4),
            Some(("article", "section" | "tag" | "author")) => self.add(5),
            _ => {}
        }
    }

    /// Reads names of types, such as `https://schema.org/NewsArticle` or `["Product", "Thing"]`.
    fn read_types(&mut self, types: &str) {
        for name in types.split(|letter: char| !letter.is_ascii_alphabetic()) {
            let known = TYPES.iter().find(|(_, names)| names.contains(&name));
            if let Some((kind, _)) = known {
                self.add(*kind);
            }
        }
    }
}

/// Types of schema.org by the kind that they say.
const TYPES: [(usize, &[&str]); 7] = [
    (
        6,
        &[
            "Article",
            "NewsArticle",
            "BlogPosting",
            "TechArticle",
            "ReportageNewsArticle",
            "ScholarlyArticle",
        ],
    ),
    (7, &["Product", "ProductGroup", "Offer", "AggregateOffer"]),
    (
        8,
        &[
            "ItemList",
            "CollectionPage",
            "OfferCatalog",
            "SearchResultsPage",
        ],
    ),
    (
        9,
        &["FAQPage", "QAPage", "Question", "DiscussionForumPosting"],
    ),
    (10, &["BreadcrumbList"]),
    (
        11,
        &[
            "Service",
            "LocalBusiness",
            "ProfessionalService",
            "SoftwareApplication",
        ],
    ),
    (12, &["Blog"]),
];

/// Bytes after `"@type"` in which its value is looked for.
const TYPE_BYTES: usize = 80;

impl Observer for Declared {
    fn start(&mut self, tag: &Opened<'_>) {
        match tag.name() {
            "meta" => self.read_meta(tag),
            "script" => {
                let kind = tag.attribute("type").unwrap_or_default();
                self.in_json = kind.trim().eq_ignore_ascii_case("application/ld+json");
            }
            // Elements around a page or an item. To look into every tag would cost more than it finds.
            "html" | "body" | "main" | "article" | "section" | "div"
                if tag.mentions("itemtype") =>
            {
                self.read_types(&tag.attribute("itemtype").unwrap_or_default());
            }
            _ => {}
        }
    }

    fn script(&mut self, source: &str) {
        if !std::mem::take(&mut self.in_json) {
            return;
        }
        let key = "\"@type\"";
        for at in memmem::find_iter(source.as_bytes(), key) {
            let value = &source.as_bytes()[at + key.len()..];
            let value = &value[..value.len().min(TYPE_BYTES)];
            let end = value
                .iter()
                .position(|byte| matches!(byte, b'}' | b']' | b'{'));
            let value = str::from_utf8(&value[..end.unwrap_or(value.len())]).unwrap_or_default();
            // A single value ends at the next comma.
            let is_list = value.trim_start_matches([':', ' ', '\n']).starts_with('[');
            let first = value.split(',').next().unwrap_or_default();
            self.read_types(if is_list { value } else { first });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{BlockOptions, Declared, page};

    fn declared(html: &str) -> Vec<&'static str> {
        let page = page(html.as_bytes(), None, &BlockOptions::default()).expect("a page");
        let bits = page.declared.bits();
        let names = Declared::NAMES.into_iter().enumerate();
        let said = names.filter(|(at, _)| bits & 1 << at != 0);
        said.map(|(_, name)| name).collect()
    }

    #[test]
    fn open_graph_says_what_a_page_is() {
        let html = "<meta property='OG:type' content=' Article '><meta name=article:published_time content=x>\
                    <meta property=article:tag content=tea><p>Tea";
        assert_eq!(
            declared(html),
            ["og_article", "og_article_date", "og_article_property"]
        );
        assert_eq!(
            declared("<meta property=og:type content=og:product><p>Tea"),
            ["og_product"]
        );
        assert_eq!(
            declared("<meta property=og:title content=article><p>Tea"),
            [""; 0]
        );
    }

    #[test]
    fn types_of_schema_org_are_read_from_microdata_and_json() {
        let html = "<div itemscope itemtype='https://schema.org/Product'><p>Tea</div>";
        assert_eq!(declared(html), ["product"]);
        let json = r#"<script type="application/ld+json">{"@type": ["Thing", "NewsArticle"],
                      "headline": "Product", "mentions": {"@type":"BreadcrumbList","x":1}}</script><p>Tea"#;
        assert_eq!(declared(json), ["article", "breadcrumbs"]);
        assert_eq!(
            declared(r#"<script>{"@type": "Product"}</script><p>Tea"#),
            [""; 0]
        );
    }
}
