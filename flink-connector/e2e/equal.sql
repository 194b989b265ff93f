-- What the table has, and in how many rows the one that follows it differs.
SET 'execution.runtime-mode' = 'batch';
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'parallelism.default' = '2';

SELECT 'rows ' || CAST(COUNT(*) AS STRING) || ' AT ' || CAST(COUNT(*) FILTER (WHERE country = 'AT') AS STRING)
  || ' IT ' || CAST(COUNT(*) FILTER (WHERE country = 'IT' AND name = 'name ' || CAST(id AS STRING)) AS STRING) AS fact
FROM shop.customers;
SELECT 'differ ' || CAST(COUNT(*) AS STRING) AS fact
FROM (
  (SELECT * FROM shop.customers EXCEPT SELECT * FROM shop.followed)
  UNION ALL
  (SELECT * FROM shop.followed EXCEPT SELECT * FROM shop.customers)
);
