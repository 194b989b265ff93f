-- Builds one table of six million rows of about 70 bytes, then counts it and looks up keys that it has and has not.
SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';
SET 'sql-client.execution.result-mode' = 'tableau';

CREATE DATABASE IF NOT EXISTS shop;
CREATE TABLE shop.`@TABLE@` (
  id BIGINT,
  name STRING,
  note STRING,
  PRIMARY KEY (id) NOT ENFORCED
) @DISTRIBUTION@ @OPTIONS@;

CREATE TEMPORARY TABLE numbers (id BIGINT) WITH (
  'connector' = 'datagen', 'number-of-rows' = '6000000', 'rows-per-second' = '100000000',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '5999999'
);
CREATE TEMPORARY TABLE asked (n BIGINT, pt AS PROCTIME()) WITH (
  'connector' = 'datagen', 'number-of-rows' = '2000', 'rows-per-second' = '100000000',
  'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '1999'
);

INSERT OVERWRITE shop.`@TABLE@`
SELECT id, 'name ' || CAST(id AS STRING), MD5(CAST(id AS STRING)) FROM numbers;

SELECT 'sum ' || CAST(SUM(id) AS STRING) || ' of ' || CAST(COUNT(*) AS STRING) AS fact
FROM shop.`@TABLE@`;
SELECT 'found ' || CAST(COUNT(d.id) AS STRING) || ' of ' || CAST(COUNT(*) AS STRING) || ' right '
  || CAST(SUM(IF(d.name = 'name ' || CAST(a.n * 6000 AS STRING)
                 AND d.note = MD5(CAST(a.n * 6000 AS STRING)), 1, 0)) AS STRING) AS fact
FROM (SELECT n, n * 6000 AS id, pt FROM asked) AS a
LEFT JOIN shop.`@TABLE@` FOR SYSTEM_TIME AS OF a.pt AS d ON d.id = a.id;
