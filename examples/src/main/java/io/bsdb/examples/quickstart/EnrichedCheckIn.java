package io.bsdb.examples.quickstart;

import org.jspecify.annotations.Nullable;

/** A check-in with what the table knows of its place; all null if it does not have the place. */
record EnrichedCheckIn(
    long user,
    long geonameId,
    @Nullable String city,
    @Nullable String country,
    @Nullable String timezone,
    @Nullable Long population) {

  static EnrichedCheckIn of(CheckIn checkIn, @Nullable Place place) {
    return place == null
        ? new EnrichedCheckIn(checkIn.user(), checkIn.geonameId(), null, null, null, null)
        : new EnrichedCheckIn(
            checkIn.user(),
            checkIn.geonameId(),
            place.name(),
            place.country(),
            place.timezone(),
            place.population());
  }
}
