-- The owner's door: private online learning, a window function

-- dp_ftrl(costs, epsilon, delta [, options]): one for each way to write epsilon and delta.
DO $body$
DECLARE
  cost text;
  options text;
  arguments text;
BEGIN
  FOREACH cost IN ARRAY ARRAY['float8, float8', 'numeric, numeric', 'numeric, integer'] LOOP
    FOREACH options IN ARRAY ARRAY['', ', jsonb'] LOOP
      arguments := format('float8[], %s%s', cost, options);
      EXECUTE format(
        $$CREATE FUNCTION dp_ftrl(%s) RETURNS integer
          LANGUAGE C WINDOW VOLATILE PARALLEL UNSAFE
          AS 'MODULE_PATHNAME', 'dpobj_ftrl'$$, arguments);
      EXECUTE format(
        $$COMMENT ON FUNCTION dp_ftrl(%s) IS
          'private online learning, a choice for each row: costs, epsilon, delta, options'$$, arguments);
      EXECUTE format('REVOKE ALL ON FUNCTION dp_ftrl(%s) FROM PUBLIC', arguments);
    END LOOP;
  END LOOP;
END
$body$;
