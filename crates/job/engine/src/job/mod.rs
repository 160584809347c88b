//! A job: its checked spec, and the handles that its plans share. The rest of the crate works with typed values
//! only.

mod check;
mod runtime;

pub use check::{Resources, RobotsRules};
pub use runtime::Job;
