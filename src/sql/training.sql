-- Training: the default method is auto

CREATE OR REPLACE FUNCTION dpobj.train(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL) RETURNS @extschema@.dp_model
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_train';
COMMENT ON FUNCTION dpobj.train(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text) IS
  'trains a model on a protected table under a budget of the session''s role';

CREATE OR REPLACE FUNCTION dpobj.train_groups(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL, by text[] DEFAULT NULL)
  RETURNS TABLE (key text[], model @extschema@.dp_model)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_train_by';
COMMENT ON FUNCTION dpobj.train_groups(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text, text[]) IS
  'trains a model for each combination of declared values of the columns in by, on a protected table, for one charge';

CREATE OR REPLACE FUNCTION dpobj.submit(call text, relation regclass, arguments jsonb, name text) RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_submit';
COMMENT ON FUNCTION dpobj.submit(text, regclass, jsonb, text) IS
  'queues a paid call, such as ''train'', by the name of its function and its other arguments, to run in the background once the transaction has committed; what it makes is kept under the name; returns the job''s number';

CREATE OR REPLACE FUNCTION dpobj.price(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_price_training';
COMMENT ON FUNCTION dpobj.price(regclass, text, numeric, text[], numeric, text, jsonb, jsonb) IS
  'what dpobj.train on a protected table would cost, or dpobj.evaluate, dpobj.confusion or dpobj.select with method accuracy, confusion or select; how large the error may be, and how many such calls fit into the session''s budgets';

-- Raises an error without a context, which would show dpobj's own statements.
CREATE OR REPLACE FUNCTION dpobj_internal.schedule_fail(code text, message text, detail text, hint text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_schedule_fail';
COMMENT ON FUNCTION dpobj_internal.schedule_fail(text, text, text, text) IS
  'internal: raises an error without a context, which would name internal functions';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_put(call text, relation regclass, arguments jsonb, name text, cron text,
    allowance numeric, period interval) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_put';
COMMENT ON FUNCTION dpobj_internal.schedule_put(text, regclass, jsonb, text, text, numeric, interval) IS
  'internal: makes or changes a schedule of one''s own, which pg_cron does not know yet';

CREATE OR REPLACE FUNCTION dpobj_internal.call_statement(call text, relation regclass, arguments jsonb, name text) RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_call_statement';
COMMENT ON FUNCTION dpobj_internal.call_statement(text, regclass, jsonb, text) IS
  'internal: the statement that makes a paid call, and keeps what it makes under the name; without parameters, as a job runs it';

CREATE OR REPLACE FUNCTION dpobj_internal.call_rehearse(call text, relation regclass, arguments jsonb, name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_call_rehearse';
COMMENT ON FUNCTION dpobj_internal.call_rehearse(text, regclass, jsonb, text) IS
  'internal: raises the error that a paid call would raise before its charge, but for a budget that does not cover it now';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_rated(arguments jsonb) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce((SELECT $1 || jsonb_build_object('model', s.latest_model)
                       FROM dpobj.schedules s
                      WHERE s.owner = session_user AND s.name = $1 ->> 'model' AND s.call = 'train'
                            AND NOT EXISTS (SELECT FROM dpobj.models m WHERE m.owner = session_user AND m.name = $1 ->> 'model')), $1)
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_rated(jsonb) IS
  'internal: the arguments of a call, with the newest model in use of a schedule in place of the schedule''s name; null: it has none';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_start(name text) RETURNS bigint
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    database constant text := dpobj_internal.cron_database();
    asked record;
    job bigint;
    jobname text;
    code text;
    message text;
    detail text;
    hint text;
    arguments jsonb;
  BEGIN
    -- Reports an invalid request now, not at the first run; a run without a model to rate is skipped.
    SELECT s.* INTO asked FROM dpobj.schedules s WHERE s.owner = session_user AND s.name = $1;
    arguments := dpobj_internal.schedule_rated(asked.arguments);
    IF arguments ->> 'model' IS NOT NULL OR asked.arguments ->> 'model' IS NULL THEN
      PERFORM dpobj_internal.call_rehearse(asked.call, asked.relation, arguments, asked.next_model);
    END IF;
    IF database IS NULL THEN
      RAISE EXCEPTION 'pg_cron is not loaded'
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'Schedules are started by pg_cron, which must be loaded when the server starts.',
              HINT = format('Install it, add pg_cron to shared_preload_libraries, set cron.database_name to %L, '
                            'restart the server, and run CREATE EXTENSION pg_cron.', current_database());
    ELSIF NOT (SELECT r.rolcanlogin FROM pg_roles r WHERE r.rolname = session_user) THEN
      RAISE EXCEPTION 'role "%" cannot log in', session_user
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'pg_cron runs a schedule as the role that made it.',
              HINT = format('Make the schedule as a role that can, or run ALTER ROLE %I LOGIN.', session_user);
    ELSIF database <> current_database() THEN
      RAISE NOTICE 'pg_cron does not know schedule "%" yet', $1
        USING DETAIL = format('It has its jobs in database "%s".', database),
              HINT = 'A superuser can run there: ' || dpobj_internal.cron_statement($1, asked.cron, session_user);
      RETURN NULL;
    ELSIF NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron') THEN
      RAISE EXCEPTION 'extension "pg_cron" is not installed'
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'A superuser can run CREATE EXTENSION pg_cron.';
    ELSIF NOT dpobj_internal.cron_is_here() THEN
      RAISE EXCEPTION 'permission denied for schema cron'
        USING ERRCODE = 'insufficient_privilege',
              HINT = format('A superuser can run GRANT USAGE ON SCHEMA cron TO %I.', session_user);
    END IF;
    -- A job with another name, from an older version or after a restore, is kept instead of a second one.
    job := dpobj_internal.cron_job($1, session_user);
    IF job IS NOT NULL THEN
      EXECUTE 'SELECT j.jobname FROM cron.job j WHERE j.jobid = $1' INTO jobname USING job;
    END IF;
    EXECUTE format('SELECT cron.schedule(%L, %L, %L)', coalesce(jobname, dpobj_internal.cron_jobname($1)), asked.cron,
                   dpobj_internal.cron_command($1))
      INTO job;
    RETURN job;
  EXCEPTION
    WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
                              hint = PG_EXCEPTION_HINT;
      PERFORM dpobj_internal.schedule_fail(code, message, detail, hint);
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_start(text) IS
  'internal: checks a schedule that was written just now, and gives it a job of pg_cron, which it returns';

CREATE OR REPLACE FUNCTION dpobj.schedule(call text, relation regclass, arguments jsonb, name text, cron text,
    allowance numeric DEFAULT NULL, period interval DEFAULT '1 month') RETURNS bigint
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  BEGIN
    PERFORM dpobj_internal.schedule_put($1, $2, $3, $4, $5, $6, $7);
    RETURN dpobj_internal.schedule_start($4);
  END
  $$;
COMMENT ON FUNCTION dpobj.schedule(text, regclass, jsonb, text, text, numeric, interval) IS
  'has pg_cron make a paid call, as dpobj.submit takes it, at the times of a cron line; what each run makes is kept. Argument model may name the schedule of a training: each run rates its newest model in use. Returns the number of its job. A second call with the same name changes the schedule';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_missing(name text) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  BEGIN
    PERFORM dpobj_internal.schedule_fail('42704', format('there is no schedule "%s" of role "%s"', $1, session_user), NULL,
                                'See dpobj.schedules. If pg_cron asked, remove its job.');
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_missing(text) IS
  'internal: raises the error that the session user has no schedule of that name';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_begin() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_schedule_begin';
COMMENT ON FUNCTION dpobj_internal.schedule_begin() IS
  'internal: raises an error if a procedure cannot commit, as in a transaction block';

/*
 * One scheduled time is charged once: a release that failed, or whose end is unknown, is not
 * repeated before the next scheduled time.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.schedule_attempt(name text, OUT outcome text, OUT code text, OUT message text) RETURNS record
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    began constant timestamptz := clock_timestamp();
    zone constant text := coalesce(dpobj_internal.cron_timezone(), 'GMT');
    due timestamptz;
    asked record;
    had record;
    spent numeric;
    arguments jsonb;
    detail text;
  BEGIN
    PERFORM dpobj_internal.schedule_enter();
    SELECT s.cron, s.call, s.relation, s.relation_name, s.arguments, s.epsilon, s.allowance, s.period
      INTO asked FROM dpobj.schedules s WHERE s.owner = session_user AND s.name = $1;
    IF NOT FOUND THEN
      PERFORM dpobj_internal.schedule_missing($1);
    END IF;
    due := dpobj_internal.schedule_time(asked.cron, statement_timestamp());
    SELECT r.state, r.release, r.sqlstate, r.message INTO had
      FROM dpobj.schedule_runs r WHERE r.owner = session_user AND r.schedule = $1 AND r.scheduled = due;
    IF had.release IS NOT NULL THEN
      outcome := CASE had.state WHEN 'released' THEN 'released' ELSE 'failed' END;
      IF outcome = 'failed' THEN
        code := coalesce(had.sqlstate, 'UB004');
        message := coalesce(had.message, 'the run was charged already and has no answer');
      END IF;
      RETURN;
    END IF;

    BEGIN
      -- On pg_cron's clock a day is from one daily run to the next, whatever zone the session has.
      SELECT coalesce(sum(r.epsilon), 0) INTO spent
        FROM dpobj.schedule_runs r
       WHERE r.owner = session_user AND r.schedule = $1
         AND r.scheduled > (due AT TIME ZONE zone - asked.period) AT TIME ZONE zone;
      IF spent + asked.epsilon > asked.allowance THEN
        RAISE EXCEPTION 'allowance used up: epsilon: % spent in %, % asked, % allowed', spent, asked.period,
                        asked.epsilon, asked.allowance USING ERRCODE = 'UB001';
      ELSIF asked.relation IS NULL THEN
        RAISE EXCEPTION 'table % does not exist', asked.relation_name USING ERRCODE = 'undefined_table';
      END IF;
      arguments := dpobj_internal.schedule_rated(asked.arguments);
      IF arguments ->> 'model' IS NULL AND asked.arguments ->> 'model' IS NOT NULL THEN
        outcome := 'skipped';
        RAISE EXCEPTION 'schedule "%" has no model in use', asked.arguments ->> 'model' USING ERRCODE = 'undefined_object';
      END IF;
      EXECUTE dpobj_internal.call_statement(asked.call, asked.relation, arguments, dpobj_internal.schedule_model($1, due));
      outcome := 'released';
    EXCEPTION
      WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
        outcome := CASE code WHEN 'UB001' THEN 'skipped' ELSE coalesce(outcome, 'failed') END;
        message := concat_ws(E'\n', message, nullif(detail, ''));
    END;
    PERFORM dpobj_internal.schedule_record($1, due, began, outcome, code, message);
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_attempt(text) IS
  'internal: one run of a schedule of the session user; records errors instead of raising them if it can';

/*
 * The record is committed before a failure is reported to pg_cron.  In a transaction block the
 * record could be lost, so the procedure raises an error there, before a charge.  The first COMMIT
 * lets the run see what was committed while it waited.  A procedure that commits cannot set
 * search_path, so names are qualified.
 */
CREATE OR REPLACE PROCEDURE dpobj.run_schedule(name text)
  LANGUAGE plpgsql
  AS $$
  DECLARE
    run record;
  BEGIN
    IF NOT EXISTS (SELECT FROM dpobj.schedules s
                    WHERE s.owner OPERATOR(pg_catalog.=) session_user AND s.name OPERATOR(pg_catalog.=) $1) THEN
      PERFORM dpobj_internal.schedule_missing($1);
    END IF;
    PERFORM dpobj_internal.schedule_begin();
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SELECT a.outcome, a.code, a.message INTO run FROM dpobj_internal.schedule_attempt($1) a;
    COMMIT;
    IF run.outcome OPERATOR(pg_catalog.=) 'failed' THEN
      PERFORM dpobj_internal.schedule_fail(run.code, run.message, NULL, NULL);
    END IF;
  END
  $$;
COMMENT ON PROCEDURE dpobj.run_schedule(text) IS
  'runs a schedule of the session user for its last scheduled time, once; pg_cron calls it';
