-- The stream that keeps the table fresh: somebody is born in Berlin ${rate} times a second. Such a stream usually comes from a
-- database, by change data capture. What has changed since the last checkpoint is in service after it.
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '500 ms';
SET 'parallelism.default' = '1';
-- This stream has no primary key; the last row of a place is the one that counts.
SET 'table.exec.sink.require-on-conflict' = 'false';

CREATE TEMPORARY TABLE births (
  n BIGINT
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '${rate}',
  'fields.n.kind' = 'sequence',
  'fields.n.start' = '1',
  'fields.n.end' = '${births}'
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

INSERT INTO cities
SELECT CAST(2950159 AS BIGINT), 'Berlin', 'DE', '16', 'Europe/Berlin', 3426354 + n, 52.52437, 13.41053
FROM births;
