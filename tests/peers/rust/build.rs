//! Tells the program which compiler built it.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").expect("cargo sets RUSTC");
    let said = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc --version runs");
    let said = String::from_utf8(said.stdout).expect("rustc speaks UTF-8");
    let version = said
        .split_whitespace()
        .nth(1)
        .expect("rustc names its version");
    println!("cargo::rustc-env=RUSTC_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
}
