//! The archive has the documented properties, and is as difficult as real archives.

mod archive;
mod difficulty;
mod kinds;
mod queries;
mod scoring;
