package io.bsdb.http.exchange;

import org.eclipse.jetty.http.HttpField;

/**
 * Headers of an answer with what a version holds.
 *
 * @param version names the version
 * @param tag names the version and the representation
 * @param pinned whether the address names the version, so that the answer never changes
 */
public record Entity(HttpField version, HttpField tag, boolean pinned) {}
