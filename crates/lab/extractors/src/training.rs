//! Training of the models of this crate.
//!
//! A gold set says of each segment of a page whether it is content. `train_models` of the
//! evaluation's examples does this for all models, and writes the files in `models/`.

pub use crate::mss::{TokenCounts, TokenModel};
pub use crate::ncleaner::{Characters, Models, TrigramCounts, segments};
pub use crate::v_wrapper::{LeafExamples, LeafModel};
