//! The table of the sites.

use chrono::NaiveDate;
use encoding_rs::{
    EUC_JP_INIT, GBK_INIT, ISO_8859_2_INIT, SHIFT_JIS_INIT, UTF_8_INIT, WINDOWS_1251_INIT,
    WINDOWS_1252_INIT,
};

use crate::language::{CHINESE, ENGLISH, FRENCH, GERMAN, JAPANESE, RUSSIAN, SLOVENE, SPANISH};
use crate::site::{Declared, Site, Twin, UrlStyle, Variant};
use crate::sites_of_kinds;

/// The number of general sites, at the beginning of [`SITES`]. They share the pages of
/// [`crate::SampleOptions::pages`]. The stories of the other sites are additional.
pub(crate) const GENERAL: usize = 30;

/// All sites: the general sites, sorted by size, the largest first. After them the sites
/// with queries that no rule knows, the site with twins by path, and the sites of other kinds.
///
/// A story is a function of the position of its site. So new sites go to the end.
pub(crate) static SITES: [Site; GENERAL + 14] = [
    Site::new(
        "The Norwick Post",
        &[
            "www.norwick-post.example",
            "sport.norwick-post.example",
            "blogs.norwick-post.example",
        ],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::Dated,
        160,
    )
    .declared(Declared::ContentType)
    .comments(3),
    Site::new(
        "Süderauer Zeitung",
        &["www.suederauer-zeitung.example"],
        &GERMAN,
        &WINDOWS_1252_INIT,
        UrlStyle::Section,
        120,
    )
    .comments(1)
    .redesigned(85),
    Site::new(
        "Eastham Herald",
        &["herald.eastham.example"],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::Story,
        90,
    )
    .comments(4)
    .declared(Declared::HttpCharset),
    Site::new(
        "Gorski glas",
        &["www.gorski-glas.example"],
        &SLOVENE,
        &ISO_8859_2_INIT,
        UrlStyle::Section,
        80,
    )
    .comments(2),
    Site::new(
        "Le Courrier de Montcerf",
        &[
            "www.courrier-montcerf.example",
            "sports.courrier-montcerf.example",
        ],
        &FRENCH,
        &WINDOWS_1252_INIT,
        UrlStyle::Dated,
        65,
    )
    .comments(2)
    .declared(Declared::ContentType),
    Site::new(
        "Верхнереченские вести",
        &["www.vesti-vr.example"],
        &RUSSIAN,
        &WINDOWS_1251_INIT,
        UrlStyle::Article,
        55,
    )
    .comments(3)
    .redesigned(85),
    Site::new(
        "El Faro de Villamarín",
        &["elfaro.villamarin.example"],
        &SPANISH,
        &UTF_8_INIT,
        UrlStyle::Deep,
        48,
    )
    .comments(2),
    Site::new(
        "潮見新聞",
        &["www.shiomi-shimbun.example"],
        &JAPANESE,
        &SHIFT_JIS_INIT,
        UrlStyle::Content,
        44,
    )
    .comments(1),
    Site::new(
        "青河日报",
        &["news.qinghe-daily.example"],
        &CHINESE,
        &GBK_INIT,
        UrlStyle::Content,
        40,
    )
    .comments(2),
    Site::new(
        "Midland Daily",
        &[
            "www.midland-daily.example",
            "football.midland-daily.example",
        ],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::SectionYear,
        36,
    )
    .comments(3)
    .redesigned(85)
    .declared(Declared::Bom),
    Site::new(
        "Harbour Times",
        &["www.harbour-times.example"],
        &ENGLISH,
        &WINDOWS_1252_INIT,
        UrlStyle::Monthly,
        32,
    )
    .paragraphs(5, 11)
    .linked(),
    Site::new(
        "Lautener Bote",
        &["www.lautener-bote.example"],
        &GERMAN,
        &UTF_8_INIT,
        UrlStyle::SectionYear,
        29,
    )
    .https(),
    Site::new(
        "Notes from the Upland",
        &["blog.upland.example"],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::Post,
        26,
    )
    .comments(3)
    .paragraphs(4, 12),
    Site::new(
        "Novice Podkraj",
        &["www.podkraj.example"],
        &SLOVENE,
        &UTF_8_INIT,
        UrlStyle::Monthly,
        24,
    )
    .declared(Declared::Nowhere),
    Site::new(
        "L’Écho de Brézé",
        &["echo.port-breze.example"],
        &FRENCH,
        &UTF_8_INIT,
        UrlStyle::Section,
        22,
    )
    .comments(3)
    .redesigned(85),
    Site::new(
        "Синегорье онлайн",
        &["sinegorye.example"],
        &RUSSIAN,
        &UTF_8_INIT,
        UrlStyle::Unicode,
        20,
    )
    .comments(2)
    .declared(Declared::ContentType),
    Site::new(
        "三日月タイムズ",
        &["mikazuki-times.example"],
        &JAPANESE,
        &EUC_JP_INIT,
        UrlStyle::Story,
        18,
    )
    .paragraphs(5, 11),
    Site::new(
        "Valley Echo",
        &["www.valley-echo.example"],
        &ENGLISH,
        &WINDOWS_1252_INIT,
        UrlStyle::Home,
        16,
    )
    .declared(Declared::Nowhere)
    .comments(1),
    Site::new(
        "Diario de Peñarroya",
        &["www.diario-penarroya.example"],
        &SPANISH,
        &WINDOWS_1252_INIT,
        UrlStyle::Story,
        15,
    )
    .comments(4)
    .redesigned(85),
    Site::new(
        "Wetherley Wire",
        &["www.wetherley-wire.example"],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::Section,
        14,
    )
    .https()
    .comments(4)
    .paragraphs(4, 10),
    Site::new(
        "Hohenkirch Aktuell",
        &["aktuell.hohenkirch.example"],
        &GERMAN,
        &WINDOWS_1252_INIT,
        UrlStyle::Article,
        13,
    )
    .declared(Declared::HttpCharset)
    .redesigned(85),
    Site::new(
        "Лесогорский рабочий",
        &["rabochy.lesogorsk.example"],
        &RUSSIAN,
        &WINDOWS_1251_INIT,
        UrlStyle::Dated,
        12,
    )
    .declared(Declared::Nowhere)
    .linked(),
    Site::new(
        "云岭在线",
        &["www.yunling-online.example"],
        &CHINESE,
        &UTF_8_INIT,
        UrlStyle::Deep,
        11,
    )
    .comments(2)
    .redesigned(85),
    Site::new(
        "Carnet de Vézelac",
        &["carnet.vezelac.example"],
        &FRENCH,
        &UTF_8_INIT,
        UrlStyle::Post,
        10,
    )
    .paragraphs(4, 10)
    .comments(1),
    Site::new(
        "The Stonebeck Enquirer",
        &[
            "www.stonebeck-enquirer.example",
            "m.stonebeck-enquirer.example",
        ],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::Article,
        9,
    )
    .comments(2)
    .redesigned(85),
    Site::new(
        "Rečiški list",
        &["list.recica.example"],
        &SLOVENE,
        &UTF_8_INIT,
        UrlStyle::Dated,
        8,
    )
    .comments(3)
    .paragraphs(4, 12),
    Site::new(
        "La Voz de San Telmo",
        &["www.voz-santelmo.example"],
        &SPANISH,
        &UTF_8_INIT,
        UrlStyle::SectionYear,
        8,
    )
    .declared(Declared::Bom)
    .linked()
    .launched(NaiveDate::from_ymd_opt(2011, 11, 14)),
    Site::new(
        "Crowmere Chronicle",
        &["chronicle.crowmere.example"],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::Monthly,
        7,
    )
    .https()
    .redesigned(85),
    Site::new(
        "Tannroda Notizen",
        &["notizen.tannroda.example"],
        &GERMAN,
        &UTF_8_INIT,
        UrlStyle::Post,
        5,
    )
    .comments(2)
    .paragraphs(4, 10),
    Site::new(
        "The Lighthouse Keeper’s Letter",
        &["letter.saltmouth.example"],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::Monthly,
        2,
    )
    .paragraphs(12, 24)
    .comments(1),
    Site::new(
        "Gazette de Marlieu",
        &["www.gazette-marlieu.example"],
        &FRENCH,
        &UTF_8_INIT,
        UrlStyle::Nameless,
        9,
    )
    .linked(),
    Site::new(
        "Brunnthaler Anzeiger",
        &["www.brunnthaler-anzeiger.example"],
        &GERMAN,
        &UTF_8_INIT,
        UrlStyle::Doc,
        9,
    )
    .linked(),
    Site::new(
        "The Crossbeck Ledger",
        &["www.crossbeck-ledger.example"],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::Desk,
        16,
    )
    .linked()
    .varied(&[(Variant::Reversed, 70), (Variant::Reversed, 40)], 30),
    Site::new(
        "The Tarn Observer",
        &["www.tarn-observer.example"],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::SectionYear,
        11,
    )
    .linked()
    .varied(
        &[
            (Variant::Few("pos", &["top", "rail", "foot"]), 70),
            (Variant::Few("pos", &["top", "rail", "foot"]), 50),
            (Variant::Few("skin", &["classic", "wide", "dark"]), 70),
            (Variant::Few("skin", &["classic", "wide", "dark"]), 50),
        ],
        40,
    ),
    Site::new(
        "Tribuna de Arenal",
        &["www.tribuna-arenal.example"],
        &SPANISH,
        &UTF_8_INIT,
        UrlStyle::Dated,
        10,
    )
    .linked()
    .comments(1)
    .varied(
        &[
            (Variant::Unique("via"), 80),
            (Variant::Unique("via"), 60),
            (Variant::Unique("via"), 30),
        ],
        40,
    ),
    Site::new(
        "Zareški dnevnik",
        &["www.zareski-dnevnik.example"],
        &SLOVENE,
        &UTF_8_INIT,
        UrlStyle::Doc,
        12,
    )
    .linked()
    .varied(
        &[
            (Variant::Unique("visit"), 80),
            (Variant::Unique("visit"), 60),
            (Variant::Unique("visit"), 30),
        ],
        65,
    ),
    Site::new(
        "Wendholm Journal",
        &["www.wendholm-journal.example"],
        &ENGLISH,
        &UTF_8_INIT,
        UrlStyle::Folder,
        32,
    )
    .linked()
    .varied(
        &[
            (Variant::Twin(Twin::Index), 80),
            (Variant::Twin(Twin::Amp), 60),
            (Variant::Twin(Twin::Mobile), 60),
            (Variant::Twin(Twin::Print), 60),
            (Variant::Twin(Twin::Session), 60),
        ],
        15,
    ),
    sites_of_kinds::FORUM,
    sites_of_kinds::DOCUMENTATION,
    sites_of_kinds::TICKETS,
    sites_of_kinds::SHOP,
    sites_of_kinds::GLOSSARY,
    sites_of_kinds::MINISTRY,
    sites_of_kinds::SCROLL,
];
