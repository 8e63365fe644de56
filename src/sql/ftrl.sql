-- The owner's door: private online learning, a window function

-- dp_ftrl(costs, epsilon, delta [, options]): one for each way to write epsilon and delta.
DO $body$
DECLARE
  home constant text := '@extschema@';
  cost text;
  options text;
  arguments text;
BEGIN
  FOREACH cost IN ARRAY ARRAY['float8, float8', 'numeric, numeric', 'numeric, integer'] LOOP
    FOREACH options IN ARRAY ARRAY['', ', jsonb'] LOOP
      arguments := format('float8[], %s%s', cost, options);
      EXECUTE format(
        $$CREATE FUNCTION %s.dp_ftrl(%s) RETURNS integer
          LANGUAGE C WINDOW VOLATILE PARALLEL UNSAFE
          AS 'MODULE_PATHNAME', 'dpobj_ftrl'$$, home, arguments);
      EXECUTE format(
        $$COMMENT ON FUNCTION %s.dp_ftrl(%s) IS
          'private online learning, a choice for each row: costs, epsilon, delta, options'$$, home, arguments);
    END LOOP;
  END LOOP;
END
$body$;
