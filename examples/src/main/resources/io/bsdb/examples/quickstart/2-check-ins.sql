-- The stream: ${events} check-ins. Each is at one of the places, except every 20th, which is at a place that nobody knows.
-- The same check-ins come out every time.
SET 'execution.runtime-mode' = 'batch';

CREATE TEMPORARY TABLE cities_csv (
  geoname_id STRING,
  name STRING,
  country_code STRING,
  admin1_code STRING,
  timezone STRING,
  population STRING,
  latitude STRING,
  longitude STRING
) WITH (
  'connector' = 'filesystem',
  'path' = '${cities_csv}',
  'format' = 'csv',
  'csv.null-literal' = ''
);

CREATE TEMPORARY VIEW numbered_cities AS
SELECT
  ROW_NUMBER() OVER (ORDER BY CAST(geoname_id AS BIGINT)) - 1 AS city_number,
  CAST(geoname_id AS BIGINT) AS geoname_id
FROM cities_csv
WHERE geoname_id <> 'geoname_id'; -- the header line

CREATE TEMPORARY TABLE numbers (
  i BIGINT
) WITH (
  'connector' = 'datagen',
  'number-of-rows' = '${events}',
  'rows-per-second' = '100000000',
  'fields.i.kind' = 'sequence',
  'fields.i.start' = '0',
  'fields.i.end' = '${last_event}'
);

CREATE TEMPORARY TABLE check_ins (
  check_in_id BIGINT,
  user_id BIGINT,
  geoname_id BIGINT
) WITH (
  'connector' = 'filesystem',
  'path' = '${check_ins}',
  'format' = 'csv',
  'csv.null-literal' = ''
);

INSERT OVERWRITE check_ins
SELECT
  i,
  MOD(i * 31, 50000),
  CASE WHEN MOD(i, 20) = 19 THEN -1 - i ELSE geoname_id END
FROM numbers
JOIN numbered_cities ON MOD(i * 7919, 234908) = city_number; -- 7919 and 234908 have no common divisor
