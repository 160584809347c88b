//! The pages that are compared although their keys are known.

/// Whether a page is compared although all that differs from an earlier page is noise: one URL in
/// 64. Without such pages, nothing would tell of a verdict that is wrong.
pub fn is_audited(url: &str) -> bool {
    const ONE_IN: u32 = 64;
    let hash = url.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    // The low bits of FNV-1a depend on the low bits of the bytes only.
    (hash >> 16).is_multiple_of(ONE_IN)
}
