-- All rows of the table once more; @PUBLISH@ says what is published of them.
SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';
SET 'parallelism.default' = '2';

CREATE TEMPORARY TABLE numbers (id BIGINT) WITH (
  'connector' = 'datagen', 'number-of-rows' = '200000', 'rows-per-second' = '@RATE@',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '199999'
);

INSERT OVERWRITE shop.customers /*+ OPTIONS('sink.publish' = '@PUBLISH@') */
SELECT id, 'name ' || CAST(id AS STRING), IF(id < @CHANGED@, '@COUNTRY@', 'LI') FROM numbers WHERE id < @ROWS@;
