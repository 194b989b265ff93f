-- ${orders} orders, all of which come late: years after the prices have changed. Each is joined with the price that was valid when it
-- was ordered, and with the one that is valid now, which is what a join by processing time finds.
SET 'execution.runtime-mode' = 'batch';
SET 'table.local-time-zone' = 'UTC';

CREATE TEMPORARY TABLE numbers (
  n BIGINT,
  proc_time AS PROCTIME()
) WITH (
  'connector' = 'datagen',
  'number-of-rows' = '${orders}',
  'rows-per-second' = '100000000',
  'fields.n.kind' = 'sequence',
  'fields.n.start' = '0',
  'fields.n.end' = '${last_order}'
);

CREATE TEMPORARY TABLE prices (
  item BIGINT,
  price BIGINT,
  changed_at TIMESTAMP_LTZ(3),
  valid_at TIMESTAMP_LTZ(3) METADATA FROM 'floor' VIRTUAL,
  PRIMARY KEY (item, changed_at) NOT ENFORCED
) WITH (
  'connector' = 'bsdb',
  'path' = '${prices}',
  'history.retention' = 'forever'
);

CREATE TEMPORARY VIEW orders AS
SELECT
  n,
  MOD(n, CAST(1000 AS BIGINT)) AS item,
  MOD(n * 7919, CAST(${changes} AS BIGINT)) AS seconds,
  proc_time
FROM numbers;

CREATE TEMPORARY VIEW joined AS
SELECT
  o.n,
  o.item,
  TO_TIMESTAMP_LTZ(1577836800 + o.seconds, 0) AS ordered_at,
  p.price AS price_then,
  q.price AS price_now,
  CASE WHEN o.seconds >= o.item AND MOD((o.seconds - o.item) / 1000, 10) <> 4
    THEN (o.seconds - o.item) / 1000 * 1000 + o.item END AS right_price
FROM orders AS o
LEFT JOIN prices FOR SYSTEM_TIME AS OF o.proc_time AS p
  ON p.item = o.item AND p.valid_at = TO_TIMESTAMP_LTZ(1577836800 + o.seconds, 0)
LEFT JOIN prices FOR SYSTEM_TIME AS OF o.proc_time AS q
  ON q.item = o.item AND q.valid_at = CAST(o.proc_time AS TIMESTAMP_LTZ(3));

SELECT n, item, ordered_at, price_then, price_now
FROM joined
WHERE n BETWEEN 1 AND 8
ORDER BY n;

SELECT
  COUNT(*),
  COUNT(CASE WHEN price_then IS NOT DISTINCT FROM right_price THEN 1 END),
  COUNT(CASE WHEN price_now IS NOT DISTINCT FROM right_price THEN 1 END)
FROM joined;
