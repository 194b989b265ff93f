//! Forged tables, edited as libFuzzer likes.

#![no_main]

use std::sync::LazyLock;

use bsdb_fuzz::Forger;
use libfuzzer_sys::fuzz_target;

static FORGER: LazyLock<Forger> = LazyLock::new(Forger::new);

fuzz_target!(|edits: &[u8]| FORGER.run(edits));
