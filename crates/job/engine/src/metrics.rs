//! Time, output and spilled bytes of the operators of a plan.

use std::collections::BTreeMap;

/// Sums over all operators of one name.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct OperatorMetrics {
    /// CPU seconds of our operators. DataFusion's operators report elapsed time, which is
    /// more than CPU time where threads wait for a core.
    pub seconds: f64,
    /// Output bytes, if the operator reports them.
    pub bytes: u64,
    /// Bytes spilled to disk.
    pub spilled_bytes: u64,
    /// Bytes received from other processes. The name of the operator ends with the step that sent them.
    pub network_bytes: u64,
}

impl OperatorMetrics {
    fn add(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.bytes += other.bytes;
        self.spilled_bytes += other.spilled_bytes;
        self.network_bytes += other.network_bytes;
    }
}

/// Metrics of the operators of one or more plans, by operator name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanMetrics(pub BTreeMap<String, OperatorMetrics>);

impl PlanMetrics {
    /// Returns the bytes that all operators spilled.
    pub fn spilled_bytes(&self) -> u64 {
        self.0.values().map(|metrics| metrics.spilled_bytes).sum()
    }

    /// Returns the bytes that processes received from each other.
    pub fn network_bytes(&self) -> u64 {
        self.0.values().map(|metrics| metrics.network_bytes).sum()
    }

    pub(crate) fn add(&mut self, others: Self) {
        for (operator, metrics) in others.0 {
            self.0.entry(operator).or_default().add(metrics);
        }
    }
}
