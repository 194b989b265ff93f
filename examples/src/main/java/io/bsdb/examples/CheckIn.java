package io.bsdb.examples;

/** Somebody was at a place. */
record CheckIn(long user, long geonameId) {}
