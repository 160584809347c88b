//! The archive keeps what is promised, and is as hard as real ones.

mod archive;
mod difficulty;
mod scoring;
