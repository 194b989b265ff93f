-- What came out.
SET 'execution.runtime-mode' = 'batch';

CREATE TEMPORARY TABLE enriched_check_ins (
  check_in_id BIGINT,
  user_id BIGINT,
  geoname_id BIGINT,
  city STRING,
  country_code STRING,
  timezone STRING,
  population BIGINT
) WITH (
  'connector' = 'filesystem',
  'path' = '${enriched}',
  'format' = 'csv',
  'csv.null-literal' = ''
);

SELECT *
FROM enriched_check_ins
WHERE check_in_id BETWEEN 10 AND 19
ORDER BY check_in_id;

-- A check-in whose place was not found has no country.
SELECT country_code, COUNT(*) AS check_ins
FROM enriched_check_ins
GROUP BY country_code
ORDER BY check_ins DESC, country_code;
