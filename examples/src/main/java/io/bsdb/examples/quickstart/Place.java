package io.bsdb.examples.quickstart;

import io.bsdb.row.Row;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Columns of a place that check-ins are enriched with. */
record Place(
    @Nullable String name, @Nullable String country, @Nullable String timezone, long population) {
  static Place of(Row row) {
    return new Place(
        row.string("name"),
        row.string("country_code"),
        row.string("timezone"),
        row.longValue("population"));
  }

  static Place of(Map<String, Object> row) {
    return new Place(
        (String) row.get("name"),
        (String) row.get("country_code"),
        (String) row.get("timezone"),
        Places.number(row, "population"));
  }
}
