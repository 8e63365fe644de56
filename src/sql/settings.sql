-- The settings that dpobj's functions run with

/*
 * A session's settings change what a literal in a function's body means, how a number or a time is
 * written, and what is quoted.  Functions that people call run with the values below, and so does
 * what they call.  jit is off because the planner overestimates their short statements: it would compile
 * them for seconds.  Functions without a search_path of their own are left out: they are called for
 * every row and write no text, or end transactions, which a function with settings cannot.
 */
DO $body$
DECLARE
  writers constant name[] := ARRAY['predict_sql', 'scorecard'];
  made regprocedure;
BEGIN
  FOR made IN
    SELECT p.oid FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
     WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
       AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
       AND p.pronamespace = 'dpobj'::regnamespace
       AND (p.proconfig IS NOT NULL OR p.proname = ANY (writers))
  LOOP
    EXECUTE format('ALTER ROUTINE %s SET standard_conforming_strings = on', made);
    EXECUTE format('ALTER ROUTINE %s SET TimeZone = ''UTC''', made);
    EXECUTE format('ALTER ROUTINE %s SET DateStyle = ''ISO, YMD''', made);
    EXECUTE format('ALTER ROUTINE %s SET IntervalStyle = ''postgres''', made);
    EXECUTE format('ALTER ROUTINE %s SET extra_float_digits = 1', made);
    EXECUTE format('ALTER ROUTINE %s SET bytea_output = ''hex''', made);
    EXECUTE format('ALTER ROUTINE %s SET lc_numeric = ''C''', made);
    EXECUTE format('ALTER ROUTINE %s SET array_nulls = on', made);
    EXECUTE format('ALTER ROUTINE %s SET transform_null_equals = off', made);
    EXECUTE format('ALTER ROUTINE %s SET quote_all_identifiers = off', made);
    EXECUTE format('ALTER ROUTINE %s SET jit = off', made);
  END LOOP;
END
$body$;
