-- Another job, which joins with the table meanwhile, and looks for a new version ten times a second. It would go on forever.
SET 'execution.runtime-mode' = 'streaming';
SET 'parallelism.default' = '1';

CREATE TEMPORARY TABLE check_ins (
  geoname_id BIGINT,
  proc_time AS PROCTIME()
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '1000',
  'fields.geoname_id.min' = '2950159',
  'fields.geoname_id.max' = '2950160'
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
  'path' = '${cities}',
  'lookup.refresh-interval' = '100 ms'
);

SELECT p.name, p.population
FROM check_ins AS c
JOIN cities FOR SYSTEM_TIME AS OF c.proc_time AS p
  ON c.geoname_id = p.geoname_id;
