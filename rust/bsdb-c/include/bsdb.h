/* bsdb.h: reads bsdb tables. Many threads may use one table, but for bsdb_refresh and bsdb_close; one thread at a time a cursor.
   While a thread ends (destructors of its variables, functions of atexit), failures have no text, and values that do not lie in a
   mapped file as they are cannot be looked up. */
#ifndef BSDB_H
#define BSDB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bsdb_table bsdb_table;
typedef struct bsdb_cursor bsdb_cursor;

/* Results. Those below BSDB_ABSENT are failures, which bsdb_error explains. */
enum {
  BSDB_OK = 0,
  BSDB_ABSENT = 1,
  BSDB_CORRUPT = -1,
  BSDB_UNSUPPORTED = -2,
  BSDB_NOT_FOUND = -3,
  BSDB_IO = -4,
  BSDB_INVALID = -5
};

/* How blocks are read. A mapped file that is cut ends the process; with BSDB_READ that is an error. */
enum { BSDB_MAPPED = 0, BSDB_READ = 1 };

/* Opens the version in service. */
int bsdb_open(const char *path, int access, bsdb_table **table);

/* Closes a table, and all values that were not copied. Cursors keep their version. NULL is allowed. */
void bsdb_close(bsdb_table *table);

/* Moves to the version in service: BSDB_OK if that is another one, BSDB_ABSENT if not. A failure changes nothing.
   Values that bsdb_get gave before are no longer valid. */
int bsdb_refresh(bsdb_table *table);

/* The value of a key, until the next bsdb_refresh or bsdb_close if it lies in a mapped file as it is; else, as with BSDB_READ and in
   compressed tables, until the thread's next bsdb_get or bsdb_get_many. BSDB_ABSENT if there is none. */
int bsdb_get(const bsdb_table *table, const void *key, size_t key_length, const void **value, size_t *value_length);

/* The values of many keys, each NULL if there is none: a third to a half of the time of single lookups. Valid until the thread's next
   bsdb_get or bsdb_get_many. */
int bsdb_get_many(const bsdb_table *table, size_t count, const void *const *keys, const size_t *key_lengths, const void **values,
                  size_t *value_lengths);

/* Records in the partition files, without changes over them. */
uint64_t bsdb_count(const bsdb_table *table);

/* The name of the version, until the next bsdb_refresh or bsdb_close. */
const char *bsdb_version(const bsdb_table *table);

/* What this thread's last failure was: what, file, offset, expected, actual. Valid until the thread's next failure. */
const char *bsdb_error(void);

/* All records: by key if the table is in key order, else in no order. */
int bsdb_scan(const bsdb_table *table, bsdb_cursor **cursor);

/* The next record, valid until the next call; BSDB_ABSENT after the last. */
int bsdb_next(bsdb_cursor *cursor, const void **key, size_t *key_length, const void **value, size_t *value_length);

/* In key order: the record with the greatest key not above a key, as a cursor that goes on upwards from it. BSDB_ABSENT if there is
   none, or if it is an ended row of a table with a history; all other functions pass over ended rows. */
int bsdb_floor(const bsdb_table *table, const void *key, size_t key_length, bsdb_cursor **cursor);

/* Frees a cursor. NULL is allowed. */
void bsdb_free(bsdb_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
