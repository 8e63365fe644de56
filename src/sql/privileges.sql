-- Who may use the extension's objects

/*
 * This runs last, in a new installation and in an update.  An update does not change the privileges
 * of objects that it finds; a function that replaces others of its name gets the privileges that any
 * of them had.  Default privileges of the installing role do not apply to new objects.  An object
 * that is not named here is for the extension's owner only.
 */
DO $body$
DECLARE
  for_all constant name[] := ARRAY[
    -- dpobj_internal, too: functions run with their caller's rights
    'dpobj', 'dpobj_internal',
    -- types
    'dp_model', 'dp_group', 'dp_confusion_table', 'dp_look', 'dp_average', 'dp_bin', 'dp_quantile', 'charge_cost', 'json_argument', 'model_argument',
    -- views
    'ledger', 'budgets', 'odometer', 'protected', 'models', 'model_list', 'scorecards', 'answers', 'charge_answers', 'failures', 'evaluations', 'model_history', 'drifts', 'jobs', 'progress', 'schedules', 'schedule_runs',
    -- models
    'dp_predict', 'dp_score', 'dp_predict_proba', 'dp_predict_class', 'dp_predict_class_proba',
    'model_hash', 'verify', 'model_to_json', 'model_from_json',
    'predict', 'score', 'predict_proba', 'predict_class', 'predict_class_proba', 'predict_sql', 'export', 'scorecard', 'threshold', 'share',
    'answer', 'answer_of_0_3', 'charge_state', 'rename', 'comment', 'retire', 'delete', 'show', 'show_line', 'show_number', 'model_of', 'model_facts', 'rating_interval', 'rating_words', 'rating_curves', 'largest_points', 'estimate_words', 'verdict_words', 'table_words', 'model_card', 'model_text', 'markdown', 'markdown_row',
    -- the analyst's door
    'declare', 'features', 'protected_features', 'train', 'train_groups', 'evaluate', 'confusion', 'select', 'count', 'sum', 'avg', 'histogram', 'quantiles', 'profile', 'discover', 'suggest', 'residuals', 'auc', 'calibration', 'drift', 'drift_total', 'price', 'price_aggregate', 'price_plan',
    -- budgets and the report
    'limit_budget', 'population', 'mark_part', 'declare_public', 'days', 'check_parts', 'reader', 'see_ledger', 'see_budgets', 'see_odometer', 'see_models', 'see_model_list', 'see_answers', 'see_evaluations', 'see_model_history', 'see_drifts', 'see_ratings', 'see_schedules', 'see_schedule_runs', 'sees_all', 'administers', 'origin', 'table_name', 'table_named', 'table_owner', 'population_of', 'epoch', 'relatives', 'remaining', 'budgets_applying', 'calls_that_fit',
    'rdp_orders', 'cost_under', 'delta_under', 'cost_of_rows', 'composed_epsilon', 'largest_epsilon', 'composed_charges', 'recompute',
    'report', 'check_ledger', 'verify_report', 'on_one_line', 'report_lines', 'report_budget', 'report_event', 'report_releases',
    'report_neighbours', 'report_assumptions',
    -- types of arguments
    'json_argument_in', 'json_argument_out', 'json_argument_recv', 'json_argument_send', 'model_argument_in', 'model_argument_out', 'model_argument_recv',
    -- tables on several servers: each call also checks for which role the table is marked
    'part',
    -- jobs
    'submit', 'cancel', 'wait', 'job_list',
    -- schedules
    'schedule', 'schedule_start', 'schedule_rated', 'call_statement', 'call_rehearse', 'arguments_of_0_3', 'unschedule', 'run_schedule', 'schedule_attempt', 'schedule_fail', 'schedule_missing',
    'schedule_begin', 'schedule_enter', 'schedule_put', 'schedule_remove',
    'schedule_record', 'schedule_time', 'schedule_model', 'schedule_of_model', 'cron_time', 'cron_database',
    'cron_timezone', 'cron_command', 'cron_jobname', 'cron_statement', 'cron_is_here', 'cron_job'];
  -- Each call also checks that a superuser granted the membership (src/server/base/admin.c).
  for_administrators constant name[] := ARRAY[
    'set_budget', 'raise_budget', 'drop_budget', 'confirm_epoch', 'note_maintenance', 'protect', 'unprotect', 'reset_failures'];
  administrators constant regrole := (SELECT min(s.setrole) FROM pg_db_role_setting s
                                       WHERE s.setdatabase = 0 AND 'dpobj.role=admin' = ANY (s.setconfig));
  found constant jsonb := current_setting('dpobj_script.found');
  privileges constant jsonb := current_setting('dpobj_script.privileges');
  made record;
  grantee record;
BEGIN
  FOR made IN
    SELECT o.*, i.identity,
           (SELECT string_agg(DISTINCT ', ' || a.grantee::regrole, '')
              FROM aclexplode(o.acl) a WHERE a.grantee NOT IN (0, o.owner)) AS others
      FROM (SELECT 'ROUTINE' AS kind, 'EXECUTE' AS privilege, tableoid AS class, oid, proname AS name,
                   proowner AS owner, proacl AS acl FROM pg_proc
             UNION ALL
            SELECT 'TABLE', 'SELECT', tableoid, oid, relname, relowner, relacl FROM pg_class
             UNION ALL
            -- without row types of tables and array types
            SELECT 'TYPE', 'USAGE', t.tableoid, t.oid, t.typname, t.typowner, t.typacl
              FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid WHERE t.typelem = 0 AND coalesce(c.relkind, 'c') = 'c'
             UNION ALL
            SELECT 'SCHEMA', 'USAGE', tableoid, oid, nspname, nspowner, nspacl FROM pg_namespace) o
      JOIN pg_depend d ON d.classid = o.class AND d.objid = o.oid,
           pg_identify_object(o.class, o.oid, 0) i
     WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
       AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
       AND NOT found ? (o.class || ':' || o.oid)
       -- arguments.sql has revoked these
       AND NOT EXISTS (SELECT FROM pg_proc p, pg_proc q
                        WHERE o.kind = 'ROUTINE' AND p.oid = o.oid AND p.pronamespace = 'dpobj_internal'::regnamespace
                          AND q.proname = p.proname AND q.pronamespace = 'dpobj'::regnamespace)
  LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC%s', made.kind, made.identity, made.others);
    IF made.kind = 'ROUTINE' AND privileges ? made.name::text THEN
      FOR grantee IN SELECT * FROM jsonb_to_recordset(privileges -> made.name::text) g(role text, grantable boolean) LOOP
        EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO %s%s', made.identity,
                       CASE grantee.role WHEN '-' THEN 'PUBLIC' ELSE grantee.role END,
                       CASE WHEN grantee.grantable THEN ' WITH GRANT OPTION' ELSE '' END);
      END LOOP;
    ELSIF made.name = ANY (for_all) THEN
      EXECUTE format('GRANT %s ON %s %s TO PUBLIC', made.privilege, made.kind, made.identity);
    ELSIF made.name = ANY (for_administrators) THEN
      EXECUTE format('GRANT %s ON %s %s TO %s', made.privilege, made.kind, made.identity, administrators);
    END IF;
  END LOOP;
END
$body$;
