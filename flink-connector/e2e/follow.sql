-- A table that must always come to equal the first. Runs on while the client ends, and leaves slots to others.
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '1 s';
SET 'parallelism.default' = '2';

CREATE TABLE shop.followed (
  id BIGINT,
  name STRING,
  country STRING,
  PRIMARY KEY (id) NOT ENFORCED
) DISTRIBUTED INTO 4 BUCKETS;

INSERT INTO shop.followed
SELECT id, name, country
FROM shop.customers /*+ OPTIONS('scan.follow' = 'true', 'lookup.refresh-interval' = '500 ms') */;
