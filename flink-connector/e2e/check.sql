-- What came out, one line per fact; the script compares them with what it expects.
SET 'execution.runtime-mode' = 'batch';
SET 'sql-client.execution.result-mode' = 'tableau';

CREATE TEMPORARY TABLE enriched (id BIGINT, name STRING, country STRING)
WITH ('connector' = 'filesystem', 'path' = 'file://@WORK@/enriched', 'format' = 'json');

SELECT 'orders ' || CAST(COUNT(*) AS STRING) || ' distinct ' || CAST(COUNT(DISTINCT id) AS STRING) AS fact
FROM enriched;
SELECT 'matched ' || CAST(COUNT(name) AS STRING)
  || ' right ' || CAST(SUM(IF(name = 'name ' || CAST(id AS STRING) AND country = 'CH' AND id < 200000, 1, 0)) AS STRING) AS fact
FROM enriched;
SELECT 'table ' || CAST(COUNT(*) AS STRING) || ' of ' || MIN(country) || ' and ' || MAX(country) AS fact
FROM shop.customers;
SELECT 'first ' || CAST(COUNT(*) AS STRING) || ' of ' || MIN(country) || ' and ' || MAX(country) AS fact
FROM shop.`customers$v1`;
-- The client cuts longer texts than 30 characters.
SELECT 'version ' || CAST(`sequence` AS STRING) || IF(in_service, ' serves ', ' rests at ') || CAST(records AS STRING) AS fact
FROM shop.`customers$snapshots`;

CALL sys.verify('shop.customers');
CALL sys.rollback_to('shop.customers', '1');
SELECT 'rolled back ' || MIN(country) AS fact FROM shop.customers;
