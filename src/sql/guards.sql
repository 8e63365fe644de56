-- The tables that nobody changes by hand, members of pg_write_all_data neither

DO $body$
DECLARE
  made record;
BEGIN
  FOR made IN
    SELECT * FROM (VALUES
      ('budget_guard', 'budget_rows', 'Use dpobj.set_budget and dpobj.drop_budget.', 'but for dpobj''s own functions and superusers'),
      ('identity_guard', 'identities', 'Use dpobj.set_budget and dpobj.drop_budget.', 'but for the charge worker and superusers'),
      ('lineage_guard', 'lineage', 'Use dpobj.set_budget and dpobj.drop_budget.', 'but for the charge worker and superusers'),
      ('charge_count_guard', 'charge_counts', 'It is counted from the ledger.', 'but for the charge worker and superusers'),
      ('job_guard', 'job_rows', 'Use dpobj.submit and dpobj.cancel.', 'but for dpobj''s own functions and superusers'),
      ('model_guard', 'model_rows', 'Use dpobj.rename, dpobj.comment, dpobj.retire and dpobj.delete.', 'by hand for everybody but superusers'),
      ('share_guard', 'model_shares', 'Use dpobj.share.', 'by hand for everybody but superusers'),
      ('schedule_guard', 'schedule_rows', 'Use dpobj.schedule and dpobj.unschedule.', 'but for dpobj''s own functions and superusers'),
      ('schedule_run_guard', 'schedule_run_rows', 'Runs of schedules write it.', 'but for dpobj''s own functions and superusers'),
      ('protection_guard', 'protections', 'Use dpobj.protect and dpobj.unprotect.', 'but for dpobj''s own functions and superusers'),
      ('population_guard', 'populations', 'Use dpobj.population.', 'but for dpobj''s own functions and superusers'),
      ('population_table_guard', 'population_tables', 'Use dpobj.protect.', 'but for dpobj''s own functions and superusers'),
      ('part_guard', 'parts', 'Use dpobj.mark_part.', 'but for dpobj''s own functions and superusers'),
      ('public_table_guard', 'public_tables', 'Use dpobj.declare_public.', 'but for dpobj''s own functions and superusers'))
      v(name, relation, hint, who)
  LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.%I
      FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change(%L)', made.name, made.relation, made.hint);
    EXECUTE format('ALTER TABLE dpobj.%I ENABLE ALWAYS TRIGGER %I', made.relation, made.name);
    EXECUTE format('COMMENT ON TRIGGER %I ON dpobj.%I IS %L', made.name, made.relation, 'refuses changes ' || made.who);
  END LOOP;
END
$body$;
