//! Names of `meta` elements, in lower case.

/// Names of `meta` with the date of publication, the most exact first.
pub(crate) const PUBLISHED: [&str; 41] = [
    "article:published_time",
    "datepublished",
    "og:published_time",
    "og:article:published_time",
    "parsely-pub-date",
    "sailthru.date",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date.created",
    "dcterms.created",
    "dcterms.date",
    "dc.date",
    "article.published",
    "rnews:datepublished",
    "publish-date",
    "publish_date",
    "publishdate",
    "published_date",
    "publication_date",
    "pubdate",
    "published_at",
    "date.created",
    "bt:pubdate",
    "article_date_original",
    "originalpublicationdate",
    "release_date",
    "published",
    "publication-date",
    "pub_date",
    "article:published",
    "dc.date.published",
    "cxenseparse:recs:publishtime",
    "dc:created",
    "dc.issued",
    "og:datepublished",
    "og:regdate",
    "created",
    "date",
];

/// Names with the date of the last change.
pub(crate) const MODIFIED: [&str; 12] = [
    "article:modified_time",
    "og:modified_time",
    "datemodified",
    "og:updated_time",
    "article:updated_time",
    "dc.date.modified",
    "dcterms.modified",
    "last-modified",
    "lastmod",
    "lastmodified",
    "dateupdate",
    "revised",
];

/// Names with an author.
pub(crate) const AUTHOR: [&str; 17] = [
    "author",
    "article:author_name",
    "article:author",
    "og:article:author",
    "og:author",
    "parsely-author",
    "sailthru.author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "byl",
    "rnews:author",
    "article.author",
    "creator",
    "dc:creator",
    "citation_authors",
    "twitter:data1",
];

/// Names with the name of the site.
pub(crate) const SITE: [&str; 5] = [
    "og:site_name",
    "application-name",
    "publisher",
    "dc.publisher",
    "apple-mobile-web-app-title",
];

/// Names with a summary.
pub(crate) const DESCRIPTION: [&str; 5] = [
    "description",
    "og:description",
    "twitter:description",
    "dc.description",
    "dcterms.description",
];

/// Names with the address of a picture.
pub(crate) const IMAGE: [&str; 5] = [
    "og:image",
    "og:image:url",
    "og:image:secure_url",
    "twitter:image",
    "twitter:image:src",
];

/// Names with the address of a licence.
pub(crate) const LICENCE: [&str; 6] = [
    "dcterms.license",
    "dc.license",
    "dcterms.rights",
    "dc.rights",
    "license",
    "copyright",
];

/// Names with the language of the page.
pub(crate) const LANGUAGE: [&str; 4] = ["content-language", "language", "og:locale", "dc.language"];
