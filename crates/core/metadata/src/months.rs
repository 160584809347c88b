//! Names of months and of days.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Names of the months by language: nominative, genitive and abbreviations, in lower case, without dots.
/// The languages are those of the project's gold sets and the largest of the web: English, German, French,
/// Spanish, Italian, Portuguese, Dutch, Polish, Russian, Ukrainian, Greek, Slovene, Czech, Swedish, Danish,
/// Turkish. Chinese, Japanese and Korean number their months.
const NAMES: [&str; 12] = [
    "january jan januar jänner janvier enero ene gennaio gen janeiro januari stycznia styczeń sty января \
     январь янв січня ιανουαρίου ιανουάριος ιαν january ledna leden ocak januarja",
    "february feb februar feber février fevrier févr fév febrero febbraio fevereiro fev februari lutego luty \
     lut февраля февраль фев лютого φεβρουαρίου φεβρουάριος φεβ února únor şubat februarja",
    "march mar märz maerz mrz mär mars marzo março maart mrt marca marzec марта март мар березня μαρτίου \
     μάρτιος μαρ března březen mart marts marec",
    "april apr avril avr abril abr aprile kwietnia kwiecień kwi апреля апрель апр квітня απριλίου \
     απρίλιος απρ dubna duben nisan aprila",
    "may mai mayo maggio mag maio mei maja maj мая май травня μαΐου μαϊου μάιος μαΐ května květen mayıs \
     maj",
    "june jun juni juin junio giugno giu junho czerwca czerwiec cze июня июнь июн червня ιουνίου \
     ιούνιος ιουν června červen haziran junija junij",
    "july jul juli juillet juil julio luglio lug julho lipca lipiec lip июля июль июл липня ιουλίου \
     ιούλιος ιουλ července červenec temmuz julija julij",
    "august aug août aout agosto ago augustus sierpnia sierpień sie августа август авг серпня \
     αυγούστου αύγουστος αυγ srpna srpen ağustos augusti avgusta avgust",
    "september sep sept septembre septiembre setiembre settembre set setembro września wrzesień wrz \
     сентября сентябрь сен сент вересня σεπτεμβρίου σεπτέμβριος σεπ září eylül septembra",
    "october oct oktober okt octobre octubre ottobre ott outubro out października październik paź \
     октября октябрь окт жовтня οκτωβρίου οκτώβριος οκτ října říjen ekim oktobra",
    "november nov novembre noviembre novembro listopada listopad lis ноября ноябрь ноя листопада \
     νοεμβρίου νοέμβριος νοε listopadu kasım novembra",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro grudnia grudzień \
     gru декабря декабрь дек грудня δεκεμβρίου δεκέμβριος δεκ prosince prosinec aralık decembra",
];

/// Names of the days of the week in the same languages, and in Chinese, Japanese and Korean, in lower case.
const DAYS: &str = "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun \
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag \
    lundi mardi mercredi jeudi vendredi samedi dimanche \
    lunes martes miércoles jueves viernes sábado domingo \
    lunedì martedì mercoledì giovedì venerdì sabato domenica \
    segunda-feira terça-feira quarta-feira quinta-feira sexta-feira \
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag \
    poniedziałek wtorek środa czwartek piątek sobota niedziela \
    понедельник вторник среда четверг пятница суббота воскресенье \
    понеділок вівторок середа четвер п'ятниця субота неділя \
    δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή \
    ponedeljek torek sreda četrtek petek nedelja \
    pondělí úterý středa čtvrtek pátek neděle \
    måndag tisdag onsdag torsdag fredag lördag söndag mandag tirsdag lørdag søndag \
    pazartesi salı çarşamba perşembe cuma cumartesi pazar \
    星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 \
    月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 \
    월요일 화요일 수요일 목요일 금요일 토요일 일요일";

static MONTHS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let names = (1..).zip(NAMES);
    let of_month = |(month, names): (u32, &'static str)| {
        let names = names.split_ascii_whitespace();
        names.map(move |name| (name, month))
    };
    names.flat_map(of_month).collect()
});

/// The number of the month with this name, in any case.
pub(crate) fn month(name: &str) -> Option<u32> {
    // The longest name has 24 bytes.
    if name.len() > 32 {
        return None;
    }
    MONTHS.get(name.to_lowercase().as_str()).copied()
}

/// Whether a word is the name of a month or of a day, in any case.
pub(crate) fn of_date(word: &str) -> bool {
    let lower = word.to_lowercase();
    month(word).is_some() || DAYS.split_ascii_whitespace().any(|day| day == lower)
}

#[cfg(test)]
mod tests {
    use super::{MONTHS, NAMES, month, of_date};

    #[test]
    fn no_name_is_that_of_two_months() {
        for (expected, names) in (1..).zip(NAMES) {
            for name in names.split_ascii_whitespace() {
                assert_eq!(MONTHS[name], expected, "{name}");
            }
        }
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(month("März"), Some(3));
        assert_eq!(month("ДЕКАБРЯ"), Some(12));
        assert_eq!(month("Teabury"), None);
        assert!(of_date("Montag") && of_date("Πέμπτη") && of_date("März"));
        assert!(!of_date("Ann"));
    }
}
