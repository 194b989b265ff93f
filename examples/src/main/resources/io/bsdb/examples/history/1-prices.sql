-- The history: ${changes} changes of the prices of 1000 items, one a second since 2020, every tenth of which ends a price. Such a
-- stream usually comes from a database, by change data capture.
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '500 ms';
SET 'restart-strategy.type' = 'none';

CREATE TEMPORARY TABLE price_changes (
  n BIGINT
) WITH (
  'connector' = 'datagen',
  'number-of-rows' = '${changes}',
  'rows-per-second' = '100000000',
  'fields.n.kind' = 'sequence',
  'fields.n.start' = '0',
  'fields.n.end' = '${last_change}'
);

CREATE TEMPORARY TABLE prices (
  item BIGINT,
  price BIGINT,
  changed_at TIMESTAMP_LTZ(3),
  ended BOOLEAN METADATA,
  PRIMARY KEY (item, changed_at) NOT ENFORCED
) WITH (
  'connector' = 'bsdb',
  'path' = '${prices}',
  'history.retention' = 'forever'
);

INSERT INTO prices
SELECT MOD(n, CAST(1000 AS BIGINT)), n, TO_TIMESTAMP_LTZ(1577836800 + n, 0), MOD(n / 1000, 10) = 4
FROM price_changes;
