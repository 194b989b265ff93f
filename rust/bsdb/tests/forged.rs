//! The fuzz target `forged` with random edits, as an ordinary test.

#[path = "../../fuzz/src/lib.rs"]
mod forge;

#[test]
fn forged_tables_neither_panic_nor_contradict_themselves() {
    let forger = forge::Forger::new();
    assert!(forger.parts() > 300, "{} parts", forger.parts());
    // Always the same edits; `rust/fuzz` looks for others.
    let mut state = 24_213u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    for _ in 0..3_000 {
        let length = 2 + 6 * (1 + byte() as usize % 3);
        let edits: Vec<u8> = (0..length).map(|_| byte()).collect();
        let outcome = std::panic::catch_unwind(|| forger.run(&edits));
        assert!(outcome.is_ok(), "edits {edits:02x?}");
    }
}
