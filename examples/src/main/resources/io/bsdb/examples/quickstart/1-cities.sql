-- The dimension table. A batch job reads the places and writes them as one immutable snapshot, which is put in service when
-- it is complete.
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
  'format' = 'csv'
);

CREATE TEMPORARY TABLE cities (
  geoname_id BIGINT NOT NULL,
  name STRING,
  country_code STRING,
  admin1_code STRING,
  timezone STRING,
  population BIGINT,
  latitude DOUBLE,
  longitude DOUBLE,
  PRIMARY KEY (geoname_id) NOT ENFORCED
) WITH (
  'connector' = 'bsdb',
  'path' = '${cities}'
);

INSERT OVERWRITE cities
SELECT
  CAST(geoname_id AS BIGINT),
  name,
  country_code,
  admin1_code,
  timezone,
  CAST(population AS BIGINT),
  CAST(latitude AS DOUBLE),
  CAST(longitude AS DOUBLE)
FROM cities_csv
WHERE geoname_id <> 'geoname_id'; -- the header line
