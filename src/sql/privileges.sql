-- Who may call the extension's functions

/*
 * This runs last, in a new installation and in an update.  For functions that an update finds, what
 * administrators have granted and revoked stays.  For new ones, default privileges of the
 * installing role do not matter.  A function that is not named here is for the extension's owner
 * only.
 */
DO $body$
DECLARE
  for_all constant name[] := ARRAY[
    -- models
    'dp_predict', 'dp_score', 'dp_predict_proba', 'model_hash', 'verify', 'model_to_json', 'model_from_json',
    'predict', 'score', 'predict_proba', 'predict_sql', 'scorecard', 'share', 'unshare',
    -- the analyst's door
    'features', 'protected_features', 'train', 'train_groups', 'evaluate', 'confusion', 'select', 'price', 'price_plan',
    -- budgets and the report
    'limit_budget', 'sees_all', 'administers', 'origin', 'epoch', 'relatives', 'remaining', 'budgets_applying', 'calls_that_fit',
    'rdp_orders', 'cost_under', 'delta_under', 'cost_of_rows', 'composed_epsilon', 'largest_epsilon', 'composed_charges', 'recompute',
    'report', 'report_text', 'report_lines', 'report_budget', 'report_event', 'report_releases',
    -- jobs
    'submit', 'cancel', 'wait', 'job_list',
    -- schedules
    'schedule', 'unschedule', 'run_schedule', 'schedule_attempt', 'schedule_fail', 'schedule_enter', 'schedule_put', 'schedule_remove',
    'schedule_record', 'schedule_time', 'schedule_model', 'schedule_of_model', 'cron_time', 'cron_database',
    'cron_timezone', 'cron_command', 'cron_jobname', 'cron_statement', 'cron_is_here', 'cron_job'];
  -- Not enough alone: each call looks at who granted the membership (src/server/admin.c).
  for_administrators constant name[] := ARRAY[
    'set_budget', 'raise_budget', 'drop_budget', 'confirm_epoch', 'protect', 'unprotect'];
  made record;
BEGIN
  FOR made IN
    SELECT p.oid::regprocedure AS routine, p.proname AS name
      FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
     WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
       AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
       AND p.oid <> ALL (string_to_array(current_setting('dpobj_script.functions'), ',')::oid[])
  LOOP
    EXECUTE format('REVOKE ALL ON ROUTINE %s FROM PUBLIC', made.routine);
    IF made.name = ANY (for_all) THEN
      EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO PUBLIC', made.routine);
    ELSIF made.name = ANY (for_administrators) THEN
      EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO dpobj_admin', made.routine);
    END IF;
  END LOOP;
END
$body$;
