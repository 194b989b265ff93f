package io.bsdb.reader.options;

/**
 * Whether lookups compare signatures, in tables that have some, before they look for a record. A
 * signature shows that a key is absent, except for one absent key in 2<sup>bits</sup>, at the price
 * of one more access to memory for every key.
 */
public enum SignatureUse {
  /**
   * Where it saves a read from disk or a decompression, or where records hold no keys. Elsewhere a
   * look at the record costs no more than one at its signature.
   */
  AUTO,
  /**
   * Always. Useful in {@link Access#MAPPED} and {@link Access#RESIDENT} if more than about a
   * quarter of all keys asked for are absent. To open a table then reads its signatures, about a
   * byte per record.
   */
  ALWAYS
}
