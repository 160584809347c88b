//! The sites of other kinds than news.

use encoding_rs::{UTF_8_INIT, WINDOWS_1252_INIT};

use crate::kind::Kind;
use crate::language::{ENGLISH, FRENCH, GERMAN, RUSSIAN, SPANISH};
use crate::site::{Declared, Site, UrlStyle};

/// A forum in German.
pub(crate) const FORUM: Site = Site::new(
    "Werkbank-Forum",
    &["www.werkbank-forum.example"],
    &GERMAN,
    &WINDOWS_1252_INIT,
    UrlStyle::Section,
    40,
)
.of_kind(Kind::Forum)
.comments(3)
.linked();

/// A manual in English, in two versions.
pub(crate) const DOCUMENTATION: Site = Site::new(
    "Sluicegate Manual",
    &["docs.sluicegate.example"],
    &ENGLISH,
    &UTF_8_INIT,
    UrlStyle::Version,
    40,
)
.of_kind(Kind::Documentation)
.declared(Declared::ContentType)
.https()
.paragraphs(3, 6)
.linked();

/// Tickets in English.
pub(crate) const TICKETS: Site = Site::new(
    "Sluicegate Tickets",
    &["bugs.millrace.example"],
    &ENGLISH,
    &UTF_8_INIT,
    UrlStyle::Ticket,
    40,
)
.of_kind(Kind::Tickets)
.comments(2)
.paragraphs(1, 4)
.linked();

/// A shop in French.
pub(crate) const SHOP: Site = Site::new(
    "Comptoir Valmorel",
    &["www.comptoir-valmorel.example"],
    &FRENCH,
    &UTF_8_INIT,
    UrlStyle::Section,
    40,
)
.of_kind(Kind::Shop)
.https()
.paragraphs(2, 5)
.linked();

/// A glossary in Spanish.
pub(crate) const GLOSSARY: Site = Site::new(
    "Glosario del Molino",
    &["www.glosario-molino.example"],
    &SPANISH,
    &UTF_8_INIT,
    UrlStyle::Section,
    40,
)
.of_kind(Kind::Glossary)
.linked();

/// A ministry in German.
pub(crate) const MINISTRY: Site = Site::new(
    "Ministerium für Wasserwege",
    &["www.wasserwege-ministerium.example"],
    &GERMAN,
    &UTF_8_INIT,
    UrlStyle::Section,
    40,
)
.of_kind(Kind::Ministry)
.https()
.paragraphs(3, 7)
.linked();

/// A news site in Russian whose pages continue with other articles.
pub(crate) const SCROLL: Site = Site::new(
    "Речные вести",
    &["www.rechnye-vesti.example"],
    &RUSSIAN,
    &UTF_8_INIT,
    UrlStyle::Dated,
    40,
)
.of_kind(Kind::Scroll)
.https()
.linked();
