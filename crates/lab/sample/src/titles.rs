//! Titles of pages that are not headlines.

use crate::dice::Dice;
use crate::kind::Kind;
use crate::language::{Cast, GERMAN};

/// Words of functions of a manual.
pub(crate) const VERBS: [&str; 10] = [
    "open", "drain", "measure", "flush", "attach", "split", "merge", "repair", "schedule", "lock",
];
/// Words of modules of a manual.
pub(crate) const NOUNS: [&str; 14] = [
    "gate", "channel", "sluice", "reading", "valve", "basin", "gauge", "weir", "pump", "level",
    "filter", "alarm", "station", "report",
];
const THINGS: [&str; 10] = [
    "Lampe",
    "Table",
    "Bouilloire",
    "Chaise",
    "Horloge",
    "Étagère",
    "Valise",
    "Veste",
    "Radio",
    "Couverture",
];
const STARTS: [&str; 16] = [
    "alba", "bor", "canal", "derri", "esclu", "fonta", "garra", "hondo", "lava", "moli", "nava",
    "orza", "presa", "ribe", "saeta", "tolva",
];
const ENDS: [&str; 12] = [
    "dero", "zuela", "nal", "duría", "cho", "llón", "miento", "dora", "te", "vado", "rra", "jón",
];

/// Draws the title of a page; `None` if it is a headline.
pub(crate) fn title(kind: Kind, dice: &mut Dice, cast: &Cast) -> Option<String> {
    match kind {
        Kind::Forum => Some(thread(dice, cast)),
        Kind::Documentation => Some(page_of_manual(dice)),
        Kind::Shop => Some(product(dice, cast)),
        Kind::Glossary => Some(term(dice)),
        Kind::News | Kind::Tickets | Kind::Ministry | Kind::Scroll => None,
    }
}

/// Draws the title of a thread.
fn thread(dice: &mut Dice, cast: &Cast) -> String {
    let number = dice.between(2, 60);
    match dice.below(3) {
        0 => format!("{} in {}", dice.one(GERMAN.topics), cast.place),
        1 => format!("{} nach {number} Jahren", dice.one(GERMAN.topics)),
        _ => format!("Wer kennt {}?", cast.names[0]),
    }
}

/// Draws the title of a page of a manual.
pub(crate) fn page_of_manual(dice: &mut Dice) -> String {
    let module = dice.one(&NOUNS);
    let (verb, noun) = (dice.one(&VERBS), dice.one(&NOUNS));
    format!("{module}.{verb}_{noun}_{}", dice.between(1, 400))
}

/// Draws the name of a product.
fn product(dice: &mut Dice, cast: &Cast) -> String {
    format!(
        "{} {} {}",
        dice.one(&THINGS),
        cast.place,
        dice.between(10, 990)
    )
}

/// Draws a term.
fn term(dice: &mut Dice) -> String {
    let word = format!("{}{}", dice.one(&STARTS), dice.one(&ENDS));
    match dice.below(3) {
        0 => word,
        1 => format!("{word} de {}{}", dice.one(&STARTS), dice.one(&ENDS)),
        _ => format!(
            "{word} {}",
            dice.one(&["mayor", "menor", "alto", "bajo", "ciego", "franco"])
        ),
    }
}
