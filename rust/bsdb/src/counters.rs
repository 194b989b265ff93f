//! Counters of lookups.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::error::Result;

/// Lookups by key, one by one and in batches, and reads of blocks, since a table or its follower was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Keys that were found.
    pub hits: u64,
    /// Keys that were absent.
    pub misses: u64,
    /// Lookups and batches that ended with an error.
    pub failures: u64,
    /// Blocks that were read with `Access::Read`, by scans too.
    pub block_reads: u64,
    /// Bytes of these blocks.
    pub bytes_read: u64,
}

const STRIPES: usize = 16;

/// What threads have counted. A place that all of them share would be the slowest part of a lookup.
#[derive(Default)]
pub(crate) struct Counts([Stripe; STRIPES]);

#[derive(Default)]
#[repr(align(128))]
struct Stripe {
    hits: AtomicU64,
    misses: AtomicU64,
    failures: AtomicU64,
    block_reads: AtomicU64,
    bytes_read: AtomicU64,
}

thread_local! {
    static STRIPE: Cell<usize> = const { Cell::new(usize::MAX) };
}

impl Counts {
    #[inline]
    fn stripe(&self) -> &Stripe {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let mut number = STRIPE.get();
        if number == usize::MAX {
            number = NEXT.fetch_add(1, Ordering::Relaxed) % STRIPES;
            STRIPE.set(number);
        }
        &self.0[number]
    }

    #[inline]
    pub fn add<T>(&self, result: &Result<Option<T>>) {
        let stripe = self.stripe();
        let counter = match result {
            Ok(Some(_)) => &stripe.hits,
            Ok(None) => &stripe.misses,
            Err(_) => &stripe.failures,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub fn add_batch(&self, hits: u64, misses: u64, failed: bool) {
        let stripe = self.stripe();
        stripe.hits.fetch_add(hits, Ordering::Relaxed);
        stripe.misses.fetch_add(misses, Ordering::Relaxed);
        stripe.failures.fetch_add(failed as u64, Ordering::Relaxed);
    }

    pub fn add_read(&self, bytes: u64) {
        let stripe = self.stripe();
        stripe.block_reads.fetch_add(1, Ordering::Relaxed);
        stripe.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn sum(&self) -> Counters {
        let sum = |counter: fn(&Stripe) -> &AtomicU64| self.0.iter().map(|s| counter(s).load(Ordering::Relaxed)).sum();
        Counters {
            hits: sum(|s| &s.hits),
            misses: sum(|s| &s.misses),
            failures: sum(|s| &s.failures),
            block_reads: sum(|s| &s.block_reads),
            bytes_read: sum(|s| &s.bytes_read),
        }
    }
}
