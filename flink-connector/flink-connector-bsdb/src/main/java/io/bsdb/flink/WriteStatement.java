package io.bsdb.flink;

/** A statement that writes a table by a job. */
enum WriteStatement {
  /** INSERT INTO: puts whole rows. */
  INSERT,
  /** INSERT INTO with some columns: puts rows with what they have in the others. */
  PARTIAL_INSERT,
  /** INSERT OVERWRITE: replaces all rows. */
  OVERWRITE,
  /** UPDATE: puts rows that were read from the table. */
  UPDATE,
  /** DELETE: deletes keys that were read from the table. */
  DELETE
}
