-- The number, mean and standard deviation of the training accuracies of the models that bench/accuracy_sql.sh kept.
SELECT count(*), to_char(avg(percent), 'FM990.000'), coalesce(to_char(stddev_samp(percent), 'FM990.000'), 'nan')
  FROM (SELECT (SELECT 100 * avg((dp_predict(k.model, o.features) IS NOT DISTINCT FROM o.positive)::int) FROM owned o) AS percent
          FROM kept k) p;
