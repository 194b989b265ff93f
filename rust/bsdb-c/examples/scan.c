/* Counts the records of tables, finds each by its key, and prints how many there were. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bsdb.h"

static int check(int result) {
  if (result < 0) {
    fprintf(stderr, "%s\n", bsdb_error());
    exit(1);
  }
  return result;
}

static void scan(const char *path, int access) {
  bsdb_table *table;
  bsdb_cursor *cursor;
  const void *key, *value, *found;
  size_t key_length, value_length, found_length;
  unsigned long records = 0;
  check(bsdb_open(path, access, &table));
  check(bsdb_scan(table, &cursor));
  while (check(bsdb_next(cursor, &key, &key_length, &value, &value_length)) == BSDB_OK) {
    const void *keys[] = {key, "no such key"}, *values[2];
    size_t key_lengths[] = {key_length, 11}, value_lengths[2];
    records++;
    if (key_length == 0) {
      continue; /* keys are omitted */
    }
    if (check(bsdb_get(table, key, key_length, &found, &found_length)) != BSDB_OK || found_length != value_length ||
        memcmp(found, value, value_length) != 0) {
      fprintf(stderr, "a key has another value than the scan gave\n");
      exit(1);
    }
    check(bsdb_get_many(table, 2, keys, key_lengths, values, value_lengths));
    if (values[0] == NULL || value_lengths[0] != value_length || memcmp(values[0], value, value_length) != 0) {
      fprintf(stderr, "a key has another value in a batch\n");
      exit(1);
    }
  }
  bsdb_free(cursor);
  if (check(bsdb_get(table, "no such key", 11, &found, &found_length)) != BSDB_ABSENT) {
    printf("found a key that is absent\n");
  }
  if (bsdb_floor(table, "\xff\xff\xff\xff\xff", 5, &cursor) == BSDB_OK) {
    check(bsdb_next(cursor, &key, &key_length, &value, &value_length));
    printf("last key of %lu bytes, ", (unsigned long)key_length);
    bsdb_free(cursor);
  }
  check(bsdb_refresh(table));
  printf("%s: %lu records of %lu\n", bsdb_version(table), records, (unsigned long)bsdb_count(table));
  bsdb_close(table);
}

int main(int count, char **paths) {
  bsdb_table *none;
  for (int i = 1; i < count; i++) {
    scan(paths[i], BSDB_MAPPED);
    scan(paths[i], BSDB_READ);
  }
  if (bsdb_open("no/such/table", BSDB_MAPPED, &none) != BSDB_NOT_FOUND || strstr(bsdb_error(), "no/such/table") == NULL) {
    return 1;
  }
  return 0;
}
