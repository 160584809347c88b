//! What the operators of a plan cost.

use std::collections::BTreeMap;

/// What one kind of operator has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OperatorMetrics {
    /// Seconds of the processor. DataFusion's own operators tell seconds in which they
    /// were at work, which is more where threads wait for a processor.
    pub seconds: f64,
    /// Bytes of the rows that it gave, where it tells.
    pub bytes: u64,
    /// Bytes that it wrote to disk for want of memory.
    pub spilled_bytes: u64,
}

impl OperatorMetrics {
    fn add(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.bytes += other.bytes;
        self.spilled_bytes += other.spilled_bytes;
    }
}

/// What operators have cost, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanMetrics(pub BTreeMap<String, OperatorMetrics>);

impl PlanMetrics {
    pub(crate) fn add(&mut self, others: Self) {
        for (operator, cost) in others.0 {
            self.0.entry(operator).or_default().add(cost);
        }
    }
}
