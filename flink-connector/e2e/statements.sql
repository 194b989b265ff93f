-- Statements that change single rows.
SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';
SET 'parallelism.default' = '2';

UPDATE shop.customers SET country = 'AT' WHERE id < 1000;
DELETE FROM shop.customers WHERE id >= 199000 AND name LIKE 'name 199%';
DELETE FROM shop.customers WHERE id IN (1, 2);
INSERT INTO shop.customers /*+ OPTIONS('sink.partial-update' = 'true') */ (id, country)
SELECT id, 'IT' FROM shop.customers WHERE id BETWEEN 1000 AND 1999;
