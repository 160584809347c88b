//! Probabilities of logits, in whole numbers.

/// The logistic function at multiples of half a logit from 0, in thousandths.
const LOGISTIC: [u64; 13] = [
    500, 622, 731, 818, 881, 924, 953, 971, 982, 989, 993, 996, 998,
];

/// Returns a probability in thousandths from a logit in 1/256.
pub(crate) fn probability(logit: i32) -> u64 {
    let (whole, rest) = (
        logit.unsigned_abs() as usize / 128,
        u64::from(logit.unsigned_abs() % 128),
    );
    let positive = match LOGISTIC.get(whole..) {
        Some([low, high, ..]) => low + (high - low) * rest / 128,
        _ => 999,
    };
    if logit < 0 { 1000 - positive } else { positive }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_grow_with_logits() {
        let all: Vec<u64> = (-2000..2000).map(probability).collect();
        assert!(all.is_sorted());
        assert_eq!(
            (probability(0), probability(256), probability(-256)),
            (500, 731, 269)
        );
        assert_eq!((probability(i32::MIN), probability(i32::MAX)), (1, 999));
    }
}
