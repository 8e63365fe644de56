-- dpobj: the schema that 0.3.0 has for functions that only its own objects call

CREATE SCHEMA dpobj_internal;
COMMENT ON SCHEMA dpobj_internal IS 'what the extension''s own functions and views call';

-- These functions move there; bodies and comments that name them get the new names.
DO $body$
DECLARE
  internal constant name[] := ARRAY[
    'administers', 'budget_exceeded', 'budgets_applying', 'calls_that_fit', 'composed_charges',
    'composed_epsilon', 'cost_of_rows', 'cost_text', 'cost_under', 'count_charges', 'cron_command',
    'cron_database', 'cron_is_here', 'cron_job', 'cron_jobname', 'cron_statement', 'cron_time',
    'cron_timezone', 'delta_under', 'earlier_cost', 'epoch', 'job_list', 'largest_epsilon',
    'ledger_refuse_change', 'listed_keys', 'model_from_json', 'model_to_json', 'origin',
    'refuse_change', 'relatives', 'report_budget', 'report_contents', 'report_event', 'report_lines',
    'report_releases', 'scan_digest', 'scan_rows', 'schedule_attempt', 'schedule_begin',
    'schedule_enter', 'schedule_fail', 'schedule_missing', 'schedule_model', 'schedule_of_model',
    'schedule_put', 'schedule_record', 'schedule_remove', 'schedule_time', 'sees_all', 'shares_rows',
    'rows_in', 'rows_out', 'rows_combine'];
  named constant text := '\mdpobj\.(' || array_to_string(internal, '|') || ')\M';
  ours constant oid[] := ARRAY(
    SELECT d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
     WHERE e.extname = 'dpobj' AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass);
  moved regprocedure;
  body text;
BEGIN
  FOR moved IN SELECT p.oid FROM pg_proc p WHERE p.oid = ANY (ours) AND p.proname = ANY (internal) LOOP
    EXECUTE format('ALTER ROUTINE %s SET SCHEMA dpobj_internal', moved);
  END LOOP;
  FOR body IN
    SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
     WHERE p.oid = ANY (ours) AND l.lanname IN ('sql', 'plpgsql') AND p.prosrc ~ named
  LOOP
    EXECUTE regexp_replace(body, named, 'dpobj_internal.\1', 'g');
  END LOOP;
  FOR body IN
    SELECT format('COMMENT ON COLUMN %s.%I IS %L', a.attrelid::regclass, a.attname, s.description)
      FROM pg_description s JOIN pg_attribute a ON (a.attrelid, a.attnum) = (s.objoid, s.objsubid) JOIN pg_class c ON c.oid = a.attrelid
     WHERE s.classoid = 'pg_class'::regclass AND c.relnamespace = 'dpobj'::regnamespace AND s.description ~ named
  LOOP
    EXECUTE regexp_replace(body, named, 'dpobj_internal.\1', 'g');
  END LOOP;
END
$body$;
