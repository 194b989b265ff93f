-- The table has no rows afterwards.
SET 'execution.runtime-mode' = 'batch';

ALTER TABLE shop.customers SET ('sink.min-rows' = '0');
TRUNCATE TABLE shop.customers;
