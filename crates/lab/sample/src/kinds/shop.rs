//! Shop: products with a specification, reviews and other products, in French.
//!
//! The gold text is the title, the description and the specification. Prices, buttons, delivery,
//! reviews and other products are not.

use crate::dice::Dice;
use crate::moment::{Subject, Writer};
use crate::story::Story;

const COLOURS: [&str; 6] = [
    "bleu",
    "noir",
    "vert sauge",
    "ocre",
    "blanc",
    "rouge brique",
];
const MATERIALS: [&str; 6] = ["chêne", "acier", "lin", "coton", "verre", "aluminium"];

fn price(dice: &mut Dice) -> String {
    format!("{},{:02} €", dice.between(6, 480), 5 * dice.below(20))
}

impl Writer<'_> {
    pub(crate) fn product(&mut self, story: &Story) {
        let dice = &mut self.part("product", story, 0);
        let (section, path) = self.language.sections[story.section];
        self.open("div class=\"breadcrumb\"");
        self.html.link("/", "crumb", self.language.labels.home);
        self.html.raw(" / ");
        self.html.link(&format!("/{path}/"), "crumb", section);
        self.html.raw(" / ");
        self.html.text(&story.title);
        self.close("div");
        self.open("div class=\"product\"");
        self.kept("h1 class=\"product-title\"", &story.title);
        self.offer(story);
        // Tabs: the reviews are in the element of the description.
        self.open("div class=\"tabs\"");
        self.other("h2", "Description");
        for block in &story.blocks {
            self.kept("p", block.text());
        }
        self.specification(story, dice);
        self.reviews(story);
        self.close("div");
        self.close("div");
        self.also_bought(story);
    }

    fn offer(&mut self, story: &Story) {
        let price = price(&mut self.part("price", story, 0));
        let dice = &mut self.now.dice("stock", self.now.at);
        self.open("div class=\"offer\"");
        self.other("span class=\"price\"", &price);
        self.other("p", "TVA comprise, frais de port en sus");
        // A product is sold out on some days and available on others.
        let day = self.now.day() as usize + story.number;
        if day.is_multiple_of(7) {
            self.other("p class=\"stock\"", "Actuellement épuisé");
            self.html.raw("<button>Prévenez-moi</button>");
        } else {
            self.other(
                "p class=\"stock\"",
                &format!(
                    "En stock : {} pièces, livraison sous {} jours",
                    dice.between(2, 60),
                    dice.between(2, 9)
                ),
            );
            self.html
                .raw("<button>Ajouter au panier</button> <button>Liste d’envies</button>");
        }
        self.close("div");
    }

    fn specification(&mut self, story: &Story, dice: &mut Dice) {
        self.kept("h2", "Caractéristiques");
        self.open("table");
        let size = format!(
            "{} x {} x {} cm",
            dice.between(5, 90),
            dice.between(5, 90),
            dice.between(5, 90)
        );
        let weight = format!("{} g", dice.between(120, 9_000));
        let reference = format!("CV-{}", story.id);
        let guarantee = format!("{} ans", dice.between(1, 5));
        for (label, value) in [
            ("Référence", reference.as_str()),
            ("Couleur", dice.one(&COLOURS)),
            ("Matière", dice.one(&MATERIALS)),
            ("Dimensions", &size),
            ("Poids", &weight),
            ("Garantie", &guarantee),
            (
                "Fabriqué à",
                self.part("made", story, 0).one(self.language.places),
            ),
        ] {
            self.open("tr");
            self.kept("th", label);
            self.kept("td", value);
            self.close("tr");
        }
        self.close("table");
    }

    fn reviews(&mut self, story: &Story) {
        let dice = &mut self.part("reviews", story, 0);
        let count = dice.between(0, 5);
        self.other("h2", &format!("{count} avis de clients"));
        for _ in 0..count {
            let cast = self.language.cast(dice);
            self.open("div class=\"avis-texte\"");
            self.other(
                "p class=\"who\"",
                &format!("{}, {} étoiles", cast.names[0], dice.between(1, 5)),
            );
            let text = self.language.opinion(dice, &cast, 2);
            self.other("p", &text);
            self.close("div");
        }
    }

    fn also_bought(&mut self, story: &Story) {
        let now = self.now;
        let dice = &mut self.part("bought", story, 0);
        self.open("div class=\"also\"");
        self.other("h2", "Souvent achetés ensemble");
        let others: Vec<&Story> = now.recent(Subject::Story(story)).take(12).collect();
        for other in dice.some(&others, 4) {
            self.open("div class=\"card\"");
            self.html.link(&other.url, "card", &other.title);
            let price = price(&mut self.part("price", other, 0));
            self.other("span class=\"price\"", &price);
            self.close("div");
        }
        self.close("div");
    }
}
