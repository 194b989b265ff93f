-- A stream of 400,000 orders, each id once; half of them have a customer. Runs on while the client ends.
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '1 s';

CREATE TEMPORARY TABLE orders (
  id BIGINT,
  pt AS PROCTIME()
) WITH (
  'connector' = 'datagen', 'rows-per-second' = '20000',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '399999'
);

CREATE TEMPORARY TABLE enriched (id BIGINT, name STRING, country STRING)
WITH ('connector' = 'filesystem', 'path' = 'file://@WORK@/enriched', 'format' = 'json');

INSERT INTO enriched
SELECT o.id, d.name, d.country
FROM orders AS o
LEFT JOIN shop.customers FOR SYSTEM_TIME AS OF o.pt AS d ON d.id = o.id;
