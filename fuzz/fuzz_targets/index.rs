//! Lines of an index of a crawl, and the requests that they become.
//!
//! The input is the bytes of an index: CDX, CDXJ, `ZipNum` or an answer of a server.

#![no_main]

use std::collections::BTreeSet;

use crawl_index::{Line, Plan, PlanLimits, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|index: &[u8]| {
    let records: Vec<_> = read(index)
        .filter_map(|line| match line {
            Ok(Line::Record(record)) => Some(record),
            Ok(_) | Err(_) => None,
        })
        .collect();
    for limits in [
        PlanLimits::default(),
        PlanLimits {
            gap_bytes: 0,
            request_bytes: 1000,
        },
    ] {
        let plan = Plan::new(records.iter().cloned(), limits);
        let totals = plan.totals();
        let counted = totals.records + plan.refused.len() as u64 + plan.duplicates;
        assert_eq!(counted, records.len() as u64);
        let mut before: Option<(&str, u64)> = None;
        for request in &plan.requests {
            assert!(request.length <= limits.request_bytes);
            // Files are asked for one after the other, and no byte twice.
            let begins = (request.file.as_str(), request.offset);
            assert!(before.is_none_or(|before| before <= begins), "{begins:?}");
            let mut end = request.offset;
            for record in &request.records {
                assert!(end <= record.offset && record.length > 0);
                end = record.offset + record.length;
            }
            assert_eq!(end, request.end());
            before = Some((&request.file, end));
        }
        let files: BTreeSet<_> = plan.requests.iter().map(|request| &request.file).collect();
        assert_eq!(totals.files, files.len() as u64);
        let turned = Plan::new(records.iter().rev().cloned(), limits);
        assert_eq!(turned, plan);
    }
});
