-- The second version: slow enough that a TaskManager can be killed meanwhile.
SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';

CREATE TEMPORARY TABLE numbers (id BIGINT) WITH (
  'connector' = 'datagen', 'number-of-rows' = '200000', 'rows-per-second' = '10000',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '199999'
);

INSERT OVERWRITE shop.customers
SELECT id, 'name ' || CAST(id AS STRING), 'LI' FROM numbers;
