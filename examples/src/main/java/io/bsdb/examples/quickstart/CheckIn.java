package io.bsdb.examples.quickstart;

/** Somebody was at a place. */
record CheckIn(long user, long geonameId) {}
