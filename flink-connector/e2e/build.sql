-- The first version: all customers in the country CH.
SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';

CREATE DATABASE shop;
CREATE TABLE shop.customers (
  id BIGINT,
  name STRING,
  country STRING,
  PRIMARY KEY (id) NOT ENFORCED
) DISTRIBUTED INTO 8 BUCKETS;

CREATE TEMPORARY TABLE numbers (id BIGINT) WITH (
  'connector' = 'datagen', 'number-of-rows' = '200000',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '199999'
);

INSERT OVERWRITE shop.customers
SELECT id, 'name ' || CAST(id AS STRING), 'CH' FROM numbers;
