//! The dates of the rounds of a pass.

use chrono::NaiveDate;
use tables::DateRange;

/// Groups dates into ranges of one date, then of twice as many each time.
pub(super) fn doubling(dates: &[NaiveDate]) -> Vec<DateRange> {
    let (mut rounds, mut rest, mut length) = (Vec::new(), dates, 1);
    while let Some(first) = rest.first() {
        let (round, later) = rest.split_at(length.min(rest.len()));
        let last = round.last().unwrap_or(first);
        rounds.push(DateRange::between(*first, *last));
        (rest, length) = (later, length * 2);
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_double() {
        let dates = (1..=11).map(|day| format!("2011-10-{day:02}").parse().unwrap());
        let rounds = doubling(&dates.collect::<Vec<_>>());
        let texts: Vec<String> = rounds.iter().map(ToString::to_string).collect();
        let expected = [
            "2011-10-01",
            "2011-10-02..2011-10-03",
            "2011-10-04..2011-10-07",
            "2011-10-08..2011-10-11",
        ];
        assert_eq!(texts, expected);
    }
}
