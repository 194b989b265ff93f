/**
 * The typed layer above byte keys and byte values: schema, key encoding, row encoding. No I/O.
 *
 * <p>{@link io.bsdb.row.RowCodec} and {@link io.bsdb.row.Row} serve programs that think in names
 * and Java objects. {@link io.bsdb.row.KeyWriter}, {@link io.bsdb.row.RowWriter}, {@link
 * io.bsdb.row.KeyView} and {@link io.bsdb.row.RowView} serve connectors: they work by position and
 * allocate nothing per field.
 *
 * <p><b>Damage.</b> Encoded rows and keys are untrusted. Every offset and count is checked before
 * it is used; what does not fit throws an {@link java.io.UncheckedIOException} whose cause is an
 * {@link io.bsdb.format.CorruptSnapshotException}. It is unchecked because the accessors are called
 * per field, often from callbacks that may not throw checked exceptions; {@link
 * io.bsdb.row.RowCodec#verify} is the checked form. A view never reads outside the slice that it
 * was given, and memory and time are proportional to the slice.
 */
@NullMarked
package io.bsdb.row;

import org.jspecify.annotations.NullMarked;
