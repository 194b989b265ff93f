-- The main job: a streaming join that looks each check-in's place up in the snapshot in service.
SET 'execution.runtime-mode' = 'streaming';

CREATE TEMPORARY TABLE check_ins (
  check_in_id BIGINT,
  user_id BIGINT,
  geoname_id BIGINT,
  proc_time AS PROCTIME()
) WITH (
  'connector' = 'filesystem',
  'path' = '${check_ins}',
  'format' = 'csv',
  'csv.null-literal' = ''
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

CREATE TEMPORARY TABLE enriched_check_ins (
  check_in_id BIGINT,
  user_id BIGINT,
  geoname_id BIGINT,
  city STRING,
  country_code STRING,
  timezone STRING,
  population BIGINT
) WITH (
  'connector' = 'filesystem',
  'path' = '${enriched}',
  'format' = 'csv',
  'csv.null-literal' = ''
);

INSERT INTO enriched_check_ins
SELECT
  c.check_in_id,
  c.user_id,
  c.geoname_id,
  p.name,
  p.country_code,
  p.timezone,
  p.population
FROM check_ins AS c
LEFT JOIN cities FOR SYSTEM_TIME AS OF c.proc_time AS p
  ON c.geoname_id = p.geoname_id;
