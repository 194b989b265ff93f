-- The stream that keeps the table fresh: somebody is born in Berlin ${rate} times a second. Such a stream usually comes from a
-- database, by change data capture. What has changed since the last checkpoint is in service after it.
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '500 ms';
SET 'parallelism.default' = '1';
SET 'restart-strategy.type' = 'none'; -- else a failure would be hidden here: the job would go on from its last checkpoint
-- The result is one row, and its place a constant: the planner does not see that no two rows have one key.
SET 'table.exec.sink.require-on-conflict' = 'false';

CREATE TEMPORARY TABLE births (
  child STRING
) WITH (
  'connector' = 'datagen',
  'number-of-rows' = '${births}',
  'rows-per-second' = '${rate}',
  'fields.child.length' = '8'
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
SELECT CAST(2950159 AS BIGINT), 'Berlin', 'DE', '16', 'Europe/Berlin', 3426354 + COUNT(*), 52.52437, 13.41053
FROM births;
