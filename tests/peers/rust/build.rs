//! Passes the version of the compiler to the program.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").expect("cargo sets RUSTC");
    let output = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc --version runs");
    let output = String::from_utf8(output.stdout).expect("rustc prints UTF-8");
    let version = output
        .split_whitespace()
        .nth(1)
        .expect("rustc prints its version");
    println!("cargo::rustc-env=RUSTC_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
}
