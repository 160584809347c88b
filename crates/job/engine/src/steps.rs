//! The names of the steps of a plan.

/// The steps in the order of the plan.
const STEPS: [&str; 6] = ["Scan", "Key", "Dedupe", "Block", "Site", "Write"];

/// Returns the step called `name`, if there is one.
pub(crate) fn step_name(name: &str) -> Option<&'static str> {
    STEPS.into_iter().find(|step| *step == name)
}
