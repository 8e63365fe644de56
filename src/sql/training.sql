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

CREATE OR REPLACE FUNCTION dpobj.submit(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL) RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_submit_training';
COMMENT ON FUNCTION dpobj.submit(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text) IS
  'queues dpobj.train, under a name, to run in the background once the transaction has committed; returns the job''s number';

CREATE OR REPLACE FUNCTION dpobj.submit_answer(call text, relation regclass, arguments jsonb, name text) RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_submit_answer';
COMMENT ON FUNCTION dpobj.submit_answer(text, regclass, jsonb, text) IS
  'queues a look or an evaluation, by the name of its function and its other arguments, to run in the background once the transaction has committed; its answer is kept under the name; returns the job''s number';

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

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_put(relation regclass, label text, epsilon numeric, features text[],
    delta numeric, method text, options jsonb, filter jsonb, name text, cron text, allowance numeric, period interval,
    call text DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_training';
COMMENT ON FUNCTION dpobj_internal.schedule_put(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text, text, numeric, interval, text) IS
  'internal: makes or changes a schedule of one''s own, which pg_cron does not know yet';

-- The statement of a look or an evaluation has no parameters, so that a job and a run of a schedule call it the same way.
CREATE OR REPLACE FUNCTION dpobj_internal.answer_statement(call text, relation regclass, arguments jsonb, name text) RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_answer_statement';
COMMENT ON FUNCTION dpobj_internal.answer_statement(text, regclass, jsonb, text) IS
  'internal: the statement that calls a look or an evaluation, whose answer is kept under the name';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_rated(arguments jsonb) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce((SELECT $1 || jsonb_build_object('model', s.latest_model)
                       FROM dpobj.schedules s
                      WHERE s.owner = session_user AND s.name = $1 ->> 'model' AND s.call IS NULL
                            AND NOT EXISTS (SELECT FROM dpobj.models m WHERE m.owner = session_user AND m.name = $1 ->> 'model')), $1)
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_rated(jsonb) IS
  'internal: the arguments of a call, with the newest model in use of a schedule in place of the schedule''s name; null: it has none';

-- A training's schedule may be named by argument model only: a run replaces no other (dpobj_internal.schedule_rated).
CREATE OR REPLACE FUNCTION dpobj_internal.schedule_models(call text, arguments jsonb) RETURNS void
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    argument constant text := CASE $1 WHEN 'select' THEN 'models' ELSE 'model' END;
    names text[];
    missing text;
  BEGIN
    IF NOT $2 ? argument THEN
      RETURN;
    ELSIF $2 ->> argument IS NULL THEN
      RAISE EXCEPTION '% must not be null', argument USING ERRCODE = 'invalid_parameter_value';
    ELSIF argument = 'model' THEN
      names := ARRAY[$2 ->> argument];
    ELSIF jsonb_typeof($2 -> argument) = 'array' THEN
      names := ARRAY(SELECT jsonb_array_elements_text($2 -> argument));
    ELSE
      names := ($2 ->> argument)::text[];
    END IF;
    SELECT n.name INTO missing
      FROM unnest(names) WITH ORDINALITY n(name, place)
     WHERE NOT EXISTS (SELECT FROM dpobj.models m WHERE m.owner = session_user AND m.name = n.name)
           AND (argument = 'models' OR NOT EXISTS (SELECT FROM dpobj.schedules s WHERE s.owner = session_user AND s.name = n.name AND s.call IS NULL))
     ORDER BY n.place LIMIT 1;
    IF FOUND AND missing IS NULL THEN
      RAISE EXCEPTION 'models must not contain nulls' USING ERRCODE = 'invalid_parameter_value';
    ELSIF FOUND AND argument = 'models' THEN
      RAISE EXCEPTION 'role "%" has no model "%"', session_user, missing
        USING ERRCODE = 'undefined_object', HINT = 'The models are in dpobj.models.';
    ELSIF FOUND THEN
      RAISE EXCEPTION 'role "%" has no model and no schedule of a training "%"', session_user, missing
        USING ERRCODE = 'undefined_object',
              HINT = 'The models are in dpobj.models, the schedules in dpobj.schedules.';
    END IF;
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_models(text, jsonb) IS
  'internal: refuses the arguments of a scheduled call if the session user has no model of a name in them';

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
    prices constant boolean := has_function_privilege('dpobj.price(regclass, text, double precision, text[], double precision, text, dpobj.json_argument, dpobj.json_argument)', 'EXECUTE');
  BEGIN
    -- Reports an invalid request now, not at the first run.
    SELECT s.* INTO asked FROM dpobj.schedules s WHERE s.owner = session_user AND s.name = $1;
    IF asked.call IS NULL AND prices THEN
      PERFORM dpobj.price(asked.relation, asked.label, asked.epsilon, asked.features, asked.delta, asked.method, asked.options,
                          asked.filter);
    ELSIF asked.call IN ('sum', 'avg', 'histogram') AND asked.options ->> 'column' IS NULL THEN
      RAISE EXCEPTION 'column must not be null' USING ERRCODE = 'invalid_parameter_value';
    ELSIF asked.call IN ('count', 'sum', 'avg', 'histogram') AND prices THEN
      PERFORM dpobj.price(asked.relation, asked.options ->> 'column', asked.epsilon, method => asked.call,
                          options => coalesce(nullif(asked.options -> 'options', 'null'), '{}')
                            || CASE jsonb_typeof(asked.options -> 'by') WHEN 'array' THEN jsonb_build_object('by', asked.options -> 'by')
                                    ELSE '{}' END,
                          filter => nullif(asked.options -> 'filter', 'null'));
    ELSIF asked.call IS NOT NULL THEN
      PERFORM dpobj_internal.schedule_models(asked.call, asked.options);
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

CREATE OR REPLACE FUNCTION dpobj.schedule(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL, cron text DEFAULT NULL, allowance numeric DEFAULT NULL,
    period interval DEFAULT '1 month') RETURNS bigint
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  BEGIN
    -- The intercept is always stored, because schedules of 0.2.0 without the option have none.
    PERFORM dpobj_internal.schedule_put($1, $2, $3, $4, $5, $6, CASE WHEN $6 = 'simplex' THEN $7
                                        ELSE '{"intercept": true}' || coalesce($7, '{}') END, $8, $9, $10, $11, $12);
    RETURN dpobj_internal.schedule_start($9);
  END
  $$;
COMMENT ON FUNCTION dpobj.schedule(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text, text, numeric, interval) IS
  'has pg_cron train a model on a protected table at the times of a cron line; returns the number of its job. A second call with the same name changes the schedule';

CREATE OR REPLACE FUNCTION dpobj.schedule_evaluation(call text, relation regclass, arguments jsonb, name text, cron text,
    allowance numeric DEFAULT NULL, period interval DEFAULT '1 month') RETURNS bigint
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  BEGIN
    PERFORM dpobj_internal.schedule_put($2, NULL, NULL, NULL, NULL, NULL, $3, NULL, $4, $5, $6, $7, coalesce($1, ''));
    RETURN dpobj_internal.schedule_start($4);
  END
  $$;
COMMENT ON FUNCTION dpobj.schedule_evaluation(text, regclass, jsonb, text, text, numeric, interval) IS
  'has pg_cron make a look or an evaluation, with a call and arguments as for dpobj.submit_answer, at the times of a cron line; each answer is kept. Argument model may name a training''s schedule: each run rates its newest model in use. Returns the number of its job';

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
    SELECT s.cron, s.relation, s.relation_name, s.label, s.epsilon, s.features, s.delta, s.method, s.options, s.filter,
           s.allowance, s.period, s.call
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
      IF asked.call IS NOT NULL THEN
        arguments := dpobj_internal.schedule_rated(asked.options);
        IF arguments ->> 'model' IS NULL AND asked.options ->> 'model' IS NOT NULL THEN
          outcome := 'skipped';
          RAISE EXCEPTION 'schedule "%" has no model in use', asked.options ->> 'model' USING ERRCODE = 'undefined_object';
        END IF;
        EXECUTE dpobj_internal.answer_statement(asked.call, asked.relation, arguments, dpobj_internal.schedule_model($1, due));
      ELSE
        PERFORM dpobj.train(asked.relation, asked.label, asked.epsilon, asked.features, asked.delta, asked.method,
                            '{"intercept": false}' || coalesce(asked.options, '{}'), asked.filter, dpobj_internal.schedule_model($1, due));
      END IF;
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

-- Jobs: why a queued job waits, and what is kept of an ended job
COMMENT ON COLUMN dpobj.jobs.reason IS 'why it failed, as far as that is public; why a queued job waits, if that is known';
COMMENT ON COLUMN dpobj.job_rows.features IS 'columns; null: all that are declared, or the job has ended';
COMMENT ON COLUMN dpobj.job_rows.options IS 'options; null: the job has ended';
COMMENT ON COLUMN dpobj.job_rows.filter IS 'filter; null: none, or the job has ended';
