-- dpobj: what version 0.3.0 changed in objects of 0.2.0

/*
 * The aggregates had a form for each type of label, epsilon and delta; aggregates.sql makes the two
 * that replace them.  An object that uses an old form, such as a view, must be dropped before the
 * update and made again after it.
 */
DO $body$
DECLARE
  earlier oid[];
  users text;
  form regprocedure;
BEGIN
  SELECT array_agg(p.oid ORDER BY p.prokind, p.oid) INTO earlier
    FROM pg_depend d
    JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
   WHERE d.deptype = 'e' AND e.extname = 'dpobj'
     AND (p.prokind IN ('a', 'w')
          OR p.pronamespace = 'dpobj'::regnamespace AND p.proname ~ '_(accumulate|final)$|^evaluation_combine$');
  SELECT string_agg(DISTINCT pg_describe_object(coalesce(v.classid, d.classid), coalesce(v.objid, d.objid), 0), ', ') INTO users
    FROM pg_depend d
    -- the view instead of its rule
    LEFT JOIN LATERAL (SELECT 'pg_class'::regclass AS classid, r.ev_class AS objid FROM pg_rewrite r
                        WHERE d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid) v ON true
   WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = ANY (earlier) AND d.deptype = 'n'
     AND NOT (d.classid = 'pg_proc'::regclass AND d.objid = ANY (earlier));
  IF users IS NOT NULL THEN
    RAISE EXCEPTION 'other objects use aggregates of dpobj, whose arguments change: %', users
      USING ERRCODE = 'dependent_objects_still_exist',
            HINT = 'Keep their definitions, drop them, update, and create them again.';
  END IF;
  FOREACH form IN ARRAY earlier LOOP
    EXECUTE format('DROP ROUTINE %s', form);
  END LOOP;
END
$body$;

-- All these now take the arguments of dpobj.train in its order; training.sql makes them again.
DROP FUNCTION dpobj.train_groups(regclass, text[], text, numeric, text[], numeric, text, jsonb, jsonb, text);
DROP FUNCTION dpobj.price(regclass, numeric, text[], numeric, text, jsonb, text);
DROP FUNCTION IF EXISTS dpobj.submit(text, regclass, text[], text, numeric, numeric, text, jsonb, jsonb);
DROP FUNCTION IF EXISTS dpobj.schedule(text, text, regclass, text, numeric, text[], numeric, text, jsonb, jsonb, numeric, interval);
DROP FUNCTION IF EXISTS dpobj_internal.schedule_put(text, text, regclass, text, numeric, text[], numeric, text, jsonb, jsonb, numeric, interval);
ALTER FUNCTION dpobj.price(text, integer, numeric, numeric, jsonb) RENAME TO price_aggregate;

-- These have one column more; scorecard.sql makes them again.
DROP VIEW IF EXISTS dpobj.scorecards;
DROP FUNCTION IF EXISTS dpobj.scorecard(@extschema@.dp_model), dpobj.scorecard(text, regrole);

-- These columns and constraints stand in protections.sql, too; an update keeps the table.
ALTER TABLE dpobj.protections ADD COLUMN IF NOT EXISTS earlier_rows_per_person integer;
ALTER TABLE dpobj.protections DROP CONSTRAINT IF EXISTS protection_earlier_rows_valid;
ALTER TABLE dpobj.protections ADD CONSTRAINT protection_earlier_rows_valid
    CHECK (earlier_rows_per_person IS NULL OR person IS NOT NULL AND earlier_rows_per_person > 0);
ALTER TABLE dpobj.protections
    ADD COLUMN holdout_by text,
    ADD CONSTRAINT protection_holdout_valid CHECK (holdout_by IS NULL OR person IS NULL);
COMMENT ON COLUMN dpobj.protections.holdout_by IS 'column by whose values rows are dealt between training and rating; null: by the person, or else by all declared columns';
DROP FUNCTION IF EXISTS dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean);

-- This column stands in identities.sql, too; each identity gets a key of its own.
ALTER TABLE dpobj.identities ADD COLUMN holdout_key uuid NOT NULL DEFAULT pg_catalog.gen_random_uuid();
COMMENT ON COLUMN dpobj.identities.holdout_key IS 'secret key by which the rows of a table are dealt between training and rating; roles do not use theirs';

-- This column and this constraint stand in jobs.sql, too; an update keeps the table.
ALTER TABLE dpobj.job_rows
    ALTER COLUMN label DROP NOT NULL, ALTER COLUMN epsilon DROP NOT NULL,
    ALTER COLUMN delta DROP NOT NULL, ALTER COLUMN method DROP NOT NULL,
    ADD COLUMN IF NOT EXISTS call text,
    DROP CONSTRAINT IF EXISTS job_is_one_request,
    ADD CONSTRAINT job_is_one_request CHECK (num_nulls(label, epsilon, delta, method) = CASE WHEN call IS NULL THEN 0 ELSE 4 END);
COMMENT ON COLUMN dpobj.job_rows.call IS 'function of the answer, whose other arguments are the options; null: dpobj.train';
COMMENT ON COLUMN dpobj.job_rows.name IS 'name of the job and of its model or answer';
COMMENT ON COLUMN dpobj.jobs.name IS 'name of the job and of its model or answer';
COMMENT ON COLUMN dpobj.job_rows.request_hash IS 'SHA-256 of the request, of a model the same as that of dpobj.train';

-- This column, this constraint, trigger and these comments stand in schedules.sql, too; an update keeps the table.
ALTER TABLE dpobj.schedule_rows
    ALTER COLUMN label DROP NOT NULL, ALTER COLUMN delta DROP NOT NULL, ALTER COLUMN method DROP NOT NULL,
    ADD COLUMN IF NOT EXISTS call text,
    DROP CONSTRAINT IF EXISTS schedule_is_one_request,
    ADD CONSTRAINT schedule_is_one_request CHECK (num_nulls(label, delta, method) = CASE WHEN call IS NULL THEN 0 ELSE 3 END);
DROP TRIGGER IF EXISTS schedule_guard ON dpobj.schedule_rows;
CREATE TRIGGER schedule_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.schedule_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.schedule, dpobj.schedule_evaluation and dpobj.unschedule.');
ALTER TABLE dpobj.schedule_rows ENABLE ALWAYS TRIGGER schedule_guard;
COMMENT ON TRIGGER schedule_guard ON dpobj.schedule_rows IS 'refuses changes but for dpobj''s own functions and superusers';
COMMENT ON TABLE dpobj.schedule_rows IS 'schedules, written by dpobj''s functions only';
COMMENT ON COLUMN dpobj.schedule_rows.label IS 'label, as for dpobj.train; null: a look or an evaluation';
COMMENT ON COLUMN dpobj.schedule_rows.delta IS 'delta of one run; null: a look or an evaluation';
COMMENT ON COLUMN dpobj.schedule_rows.method IS 'method, as for dpobj.train; null: a look or an evaluation';
COMMENT ON COLUMN dpobj.schedule_rows.options IS 'options, as for dpobj.train; of a look or an evaluation its arguments';
COMMENT ON COLUMN dpobj.schedule_rows.call IS 'function of the look or evaluation; null: dpobj.train';
COMMENT ON COLUMN dpobj.schedule_run_rows.sqlstate IS 'SQLSTATE that a caller of the function would have got; null: none';
COMMENT ON FUNCTION dpobj_internal.schedule_enter() IS
  'internal: waits for other runs of the schedules of the session''s role; they wait until the end of the transaction';
COMMENT ON FUNCTION dpobj_internal.schedule_model(text, timestamptz) IS
  'name of the model or answer of a scheduled time: the schedule''s, and the time in GMT';
COMMENT ON FUNCTION dpobj.unschedule(text, regrole) IS
  'removes a schedule and pg_cron''s job; of another role''s for administrators. Models, answers and charges stay';

COMMENT ON COLUMN dpobj.job_rows.reason IS 'what the error, or the warning of a released model, said to the public';

-- Queued jobs were submitted when the default was a model without intercept.
UPDATE dpobj.job_rows SET options = '{"intercept": false}' || coalesce(options, '{}')
 WHERE state IN ('queued', 'running') AND jsonb_typeof(coalesce(options, '{}')) = 'object';

-- This column and these constraints stand in ledger.sql, too; an update keeps the table.
ALTER TABLE dpobj.ledger_events
    ADD COLUMN reason text,
    ADD CONSTRAINT ledger_reason_of_a_failure CHECK (reason IS NULL OR
        (event = 'failed' AND reason IN ('cancel', 'stop', 'error'))),
    DROP CONSTRAINT ledger_event_known,
    ADD CONSTRAINT ledger_event_known CHECK (event IN
        ('charged', 'released', 'failed', 'protect', 'unprotect', 'set_budget', 'raise_budget',
         'drop_budget', 'limit_budget', 'confirm_epoch', 'mark_part', 'unmark_part', 'read_part', 'remember_server',
         'reset_failures', 'maintenance'));
COMMENT ON COLUMN dpobj.ledger_events.payers IS 'charged: identities of the session user and of the groups that he was a member of then; reset_failures: of the role whose failures count no longer, null for all';
COMMENT ON COLUMN dpobj.ledger_events.reason IS 'failed: cancel, stop (of the server) or error (not of the release); null: the release itself failed, which counts at the analyst''s door';

-- Answers are kept, and these functions take a name for them; answers.sql makes them again.
DROP FUNCTION dpobj.evaluate(text, regclass, numeric, jsonb);
DROP FUNCTION dpobj.confusion(text, regclass, numeric, jsonb);
DROP FUNCTION dpobj.select(text[], regclass, numeric, jsonb);

-- These columns, this constraint, trigger and these comments stand in models.sql, too; an update keeps the table.
ALTER TABLE dpobj.model_rows
    ADD COLUMN IF NOT EXISTS answer jsonb,
    ADD COLUMN IF NOT EXISTS charged_as text,
    ADD COLUMN IF NOT EXISTS comment text,
    ADD COLUMN IF NOT EXISTS retired timestamptz,
    ADD COLUMN IF NOT EXISTS deleted timestamptz,
    ADD COLUMN IF NOT EXISTS hash bytea;
ALTER TABLE dpobj.model_rows
    DROP CONSTRAINT model_released,
    ADD CONSTRAINT model_released CHECK ((released IS NULL OR deleted IS NOT NULL) = (model IS NULL AND answer IS NULL));
DROP TRIGGER model_guard ON dpobj.model_rows;
CREATE TRIGGER model_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.model_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.rename, dpobj.comment, dpobj.retire and dpobj.delete.');
ALTER TABLE dpobj.model_rows ENABLE ALWAYS TRIGGER model_guard;
COMMENT ON TRIGGER model_guard ON dpobj.model_rows IS 'refuses changes by hand for everybody but superusers';
COMMENT ON TABLE dpobj.model_rows IS 'released models and answers, places for those that are being made, and what is left of deleted ones';
COMMENT ON COLUMN dpobj.model_rows.name IS 'name that it has now; null: none';
COMMENT ON INDEX dpobj.model_rows_pkey IS 'a release makes one model or answer, or a model for each key';
COMMENT ON INDEX dpobj.model_name_key IS 'a name is unique among the models and answers of a role';
COMMENT ON COLUMN dpobj.model_rows.request_hash IS 'SHA-256 of the request at the analyst''s door; null: an aggregate';
COMMENT ON COLUMN dpobj.model_rows.model IS 'the model; null while there is none, of an answer, and of what was deleted';
COMMENT ON COLUMN dpobj.model_rows.answer IS 'answer of a look or an evaluation: an array with an object for each row; null while there is none, of a model, and of what was deleted';
COMMENT ON COLUMN dpobj.model_rows.charged_as IS 'name that was charged, which was followed by the key if there is one; null: it is called so now';
COMMENT ON COLUMN dpobj.model_rows.comment IS 'what the owner says of it; null: nothing';
COMMENT ON COLUMN dpobj.model_rows.retired IS 'when the owner retired the model; null: it is in use';
COMMENT ON COLUMN dpobj.model_rows.deleted IS 'when the owner deleted it; null: it is there';
COMMENT ON COLUMN dpobj.model_rows.hash IS 'of a deleted model: its SHA-256';

-- This takes a width, too; report.sql makes it again.
DROP FUNCTION IF EXISTS dpobj_internal.report_lines(text, integer);

-- This returns an array now; report.sql makes it again.
DROP FUNCTION IF EXISTS dpobj_internal.report_budget(jsonb);

-- charge_counts.sql creates this index again, with more columns.
DROP INDEX IF EXISTS dpobj.ledger_events_spending_idx;
-- Nothing reads this one.
DROP INDEX IF EXISTS dpobj.ledger_events_analyst_idx;

-- These comments stand in models.sql, definers.sql and price.sql, too; an update keeps the type and the functions.
COMMENT ON FUNCTION dpobj.verify(@extschema@.dp_model) IS
  'was this very model released? compares its hash with the ledger; null: the release is another role''s, and the model is not shared with the current role';
COMMENT ON COLUMN @extschema@.dp_model.kind IS 'halfspace, logistic or svm: each predicts positive if and only if the score is greater than 0; simplex or linear: the score is the prediction; softmax or one_vs_rest: the class of the highest score is';
COMMENT ON COLUMN @extschema@.dp_model.weights IS 'one weight for each feature, then the intercept if there is one; of a model of several classes these of each class in turn';
COMMENT ON FUNCTION dpobj.price_aggregate(text, integer, numeric, numeric, jsonb) IS
  'what an aggregate on d features would cost, and how far from the best model it may be; of method accuracy, confusion or select with d models, and of a look with d groups and bins, how far from the truth';
