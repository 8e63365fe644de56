-- Schedules: trainings that pg_cron starts

/*
 * One row per schedule.  Its role is identified by OID, or by name after a restore, so that a new
 * role with the name of a dropped one does not get its schedules.  Its table is identified by its
 * identity.  pg_cron's own row, in the database of cron.database_name, has only the command.
 */
CREATE TABLE dpobj.schedule_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner oid NOT NULL,
    owner_name text NOT NULL,
    origin text NOT NULL DEFAULT dpobj_internal.origin(),
    name text NOT NULL,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    cron text NOT NULL,
    relation bigint NOT NULL,
    label text NOT NULL,
    epsilon numeric NOT NULL,
    features text[],
    delta numeric NOT NULL,
    method text NOT NULL,
    options jsonb,
    filter jsonb,
    allowance numeric,
    period interval,
    CONSTRAINT schedule_name_key UNIQUE (origin, owner, name),
    CONSTRAINT schedule_allowance_has_period CHECK (allowance IS NULL OR period IS NOT NULL)
);

/*
 * How the runs ended, as they recorded it.  The ledger alone decides what was charged and
 * released, because a run can die before it records its end.
 */
CREATE TABLE dpobj.schedule_run_rows
(
    schedule bigint REFERENCES dpobj.schedule_rows ON DELETE CASCADE,
    scheduled timestamptz,
    started timestamptz NOT NULL,
    finished timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    state text NOT NULL,
    sqlstate text,
    message text,
    PRIMARY KEY (schedule, scheduled),
    CONSTRAINT schedule_state_known CHECK (state IN ('released', 'skipped', 'failed'))
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.schedule_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.schedule_rows_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.schedule_run_rows', '');

CREATE TRIGGER schedule_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.schedule_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.schedule and dpobj.unschedule.');
CREATE TRIGGER schedule_run_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.schedule_run_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Runs of schedules write it.');
ALTER TABLE dpobj.schedule_rows ENABLE ALWAYS TRIGGER schedule_guard;
ALTER TABLE dpobj.schedule_run_rows ENABLE ALWAYS TRIGGER schedule_run_guard;
COMMENT ON TRIGGER schedule_guard ON dpobj.schedule_rows IS 'refuses changes but for dpobj''s own functions and superusers';
COMMENT ON TRIGGER schedule_run_guard ON dpobj.schedule_run_rows IS 'refuses changes but for dpobj''s own functions and superusers';

COMMENT ON TABLE dpobj.schedule_rows IS 'schedules, written by dpobj.schedule and dpobj.unschedule only';
COMMENT ON SEQUENCE dpobj.schedule_rows_id_seq IS 'numbers of schedules';
COMMENT ON INDEX dpobj.schedule_rows_pkey IS 'number of a schedule';
COMMENT ON INDEX dpobj.schedule_name_key IS 'a name is unique among the schedules of a role';
COMMENT ON COLUMN dpobj.schedule_rows.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_rows.owner IS 'OID of the role whose schedule it is, where origin says';
COMMENT ON COLUMN dpobj.schedule_rows.owner_name IS 'name that the role had then';
COMMENT ON COLUMN dpobj.schedule_rows.origin IS 'where the OID holds, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.schedule_rows.name IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedule_rows.at IS 'when it was made or changed';
COMMENT ON COLUMN dpobj.schedule_rows.cron IS 'when it runs: five fields of crontab(5)';
COMMENT ON COLUMN dpobj.schedule_rows.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.schedule_rows.label IS 'label, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.epsilon IS 'epsilon of one run';
COMMENT ON COLUMN dpobj.schedule_rows.features IS 'features, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.delta IS 'delta of one run';
COMMENT ON COLUMN dpobj.schedule_rows.method IS 'method, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.options IS 'options, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.filter IS 'filter, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.allowance IS 'epsilon that its runs may cost together in a period; null: no limit but the budgets''';
COMMENT ON COLUMN dpobj.schedule_rows.period IS 'period of the allowance';
COMMENT ON TABLE dpobj.schedule_run_rows IS 'the last thousand runs of each schedule, as they ended';
COMMENT ON INDEX dpobj.schedule_run_rows_pkey IS 'a scheduled time has one run, however often it is tried';
COMMENT ON COLUMN dpobj.schedule_run_rows.schedule IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_run_rows.scheduled IS 'scheduled time';
COMMENT ON COLUMN dpobj.schedule_run_rows.started IS 'when the run was started';
COMMENT ON COLUMN dpobj.schedule_run_rows.finished IS 'when it ended';
COMMENT ON COLUMN dpobj.schedule_run_rows.state IS 'released, skipped or failed';
COMMENT ON COLUMN dpobj.schedule_run_rows.sqlstate IS 'SQLSTATE that the caller of dpobj.train would have got; null: none';
COMMENT ON COLUMN dpobj.schedule_run_rows.message IS 'its message and detail; never about a row';

-- ---- times and pg_cron ----

CREATE FUNCTION dpobj_internal.cron_time(cron text, at timestamp, following boolean DEFAULT false) RETURNS timestamp
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_time';
COMMENT ON FUNCTION dpobj_internal.cron_time(text, timestamp, boolean) IS
  'the last time up to a given one that a cron schedule names, or the first one that follows it; on pg_cron''s clock';

CREATE FUNCTION dpobj_internal.cron_database() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_database';
COMMENT ON FUNCTION dpobj_internal.cron_database() IS
  'the database that pg_cron has its jobs in; null: the server has not loaded pg_cron';

CREATE FUNCTION dpobj_internal.cron_timezone() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_timezone';
COMMENT ON FUNCTION dpobj_internal.cron_timezone() IS
  'the time zone of pg_cron''s schedules; null: GMT, as always before pg_cron 1.5';

CREATE FUNCTION dpobj_internal.schedule_time(cron text, at timestamptz, following boolean DEFAULT false) RETURNS timestamptz
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.cron_time($1, $2 AT TIME ZONE z.zone, $3) AT TIME ZONE z.zone
      FROM (SELECT coalesce(dpobj_internal.cron_timezone(), 'GMT') AS zone) z
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_time(text, timestamptz, boolean) IS
  'the last scheduled time up to a given one, or the first one that follows it';

CREATE FUNCTION dpobj_internal.schedule_model(name text, scheduled timestamptz) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT $1 || to_char($2 AT TIME ZONE 'GMT', ' YYYY-MM-DD HH24:MI') $$;
COMMENT ON FUNCTION dpobj_internal.schedule_model(text, timestamptz) IS
  'name of the model of a scheduled time: the schedule''s, and the time in GMT';

-- Computes the time instead of casting it: a model may have any name, and no name may raise an error.
-- Uses [0-9], because \d matches other digits in some locales.
CREATE FUNCTION dpobj_internal.schedule_of_model(model text, OUT name text, OUT scheduled timestamptz) RETURNS record
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT p.name, p.scheduled
      FROM (SELECT m[1] AS name,
                   (timestamp '2000-01-01' + make_interval(months => 12 * (m[2]::integer - 2000) + m[3]::integer - 1,
                      days => m[4]::integer - 1, hours => m[5]::integer, mins => m[6]::integer)) AT TIME ZONE 'GMT'
                     AS scheduled
              FROM regexp_match($1, '^(.+) ([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9]{2}):([0-9]{2})$') m) p
     WHERE dpobj_internal.schedule_model(p.name, p.scheduled) = $1
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_of_model(text) IS
  'the other way round; nulls for the name of a model that no schedule can have made';

CREATE FUNCTION dpobj_internal.cron_command(name text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT format('CALL dpobj.run_schedule(%L)', $1) $$;
COMMENT ON FUNCTION dpobj_internal.cron_command(text) IS
  'what pg_cron runs for a schedule of that name';

-- A job's name has type name, and is unique for a role in all databases.  A database with a blank in its
-- name is quoted, whatever quote_all_identifiers says, so that "a b" and "c" differ from "a" and "b c".
CREATE FUNCTION dpobj_internal.cron_jobname(name text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN octet_length(j.name) < 64 THEN j.name ELSE 'dpobj ' || md5(j.name) END
      FROM (SELECT format('dpobj %s %s', CASE WHEN d.name ~ '[ "]' THEN '"' || replace(d.name, '"', '""') || '"'
                                         ELSE d.name END, $1) AS name
              FROM current_database() d(name)) j
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_jobname(text) IS
  'name of pg_cron''s job for a schedule of that name';

CREATE FUNCTION dpobj_internal.cron_statement(name text, cron text, role text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('SELECT cron.schedule_in_database(%L, %L, %L, %L, %L);', dpobj_internal.cron_jobname($1), $2,
                  dpobj_internal.cron_command($1), current_database(), $3)
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_statement(text, text, text) IS
  'what a superuser runs in the database of pg_cron, so that it knows a schedule';

/*
 * Runs as its caller, so that row-level security of cron.job applies.  It looks for the extension,
 * because any role might have made a schema cron.
 */
CREATE FUNCTION dpobj_internal.cron_is_here() RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(dpobj_internal.cron_database() = current_database(), false)
       AND EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron')
       AND EXISTS (SELECT FROM pg_namespace n
                   WHERE n.nspname = 'cron' AND has_schema_privilege(n.oid, 'USAGE'))
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_is_here() IS
  'has this database pg_cron''s jobs, and may the caller use them?';

CREATE FUNCTION dpobj_internal.cron_job(name text, role text) RETURNS bigint
  LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    job bigint;
  BEGIN
    IF dpobj_internal.cron_is_here() THEN
      EXECUTE 'SELECT j.jobid FROM cron.job j WHERE j.command = $1 AND j.username = $2'
              ' AND j.database = current_database() ORDER BY j.jobid LIMIT 1'
        INTO job USING dpobj_internal.cron_command($1), $2;
    END IF;
    RETURN job;
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_job(text, text) IS
  'pg_cron''s job for a role''s schedule; null: there is none that the caller may see from here';

-- ---- views ----

CREATE FUNCTION dpobj_internal.administers() RETURNS boolean
  LANGUAGE C STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_administers';
COMMENT ON FUNCTION dpobj_internal.administers() IS
  'may the caller administer? superusers and those to whom a superuser granted dpobj_admin';

CREATE VIEW dpobj.schedule_owners AS
SELECT s.id,
       r.oid AS role,
       r.rolname AS role_name
  FROM dpobj.schedule_rows s
  LEFT JOIN pg_catalog.pg_roles r
    ON CASE WHEN s.origin = dpobj_internal.origin() THEN r.oid = s.owner ELSE r.rolname = s.owner_name END;
COMMENT ON VIEW dpobj.schedule_owners IS 'whose schedules they are now';
COMMENT ON COLUMN dpobj.schedule_owners.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_owners.role IS 'OID of the role; null when it has gone';
COMMENT ON COLUMN dpobj.schedule_owners.role_name IS 'its name now';

-- The charges of runs: models of the role with names that its schedules give.
CREATE VIEW dpobj.schedule_charges AS
SELECT s.id,
       p.scheduled,
       m.name AS model,
       m.release,
       c.epsilon_nano,
       c.delta_units,
       c.at AS charged,
       e.at AS ended,
       CASE WHEN m.model IS NOT NULL THEN 'released' ELSE coalesce(e.event, 'charged') END AS state
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
  JOIN dpobj.identity_roles r ON r.role = o.role
  JOIN dpobj.model_rows m ON m.owner = r.id AND m.key IS NULL AND pg_catalog.left(m.name, -17) = s.name
 CROSS JOIN LATERAL dpobj_internal.schedule_of_model(m.name) p
  JOIN dpobj.ledger_events c ON c.id = m.release
  LEFT JOIN dpobj.ledger_events e ON e.release = m.release
 WHERE p.name = s.name;
COMMENT ON VIEW dpobj.schedule_charges IS 'charges of runs, by the ledger and the names of models';
COMMENT ON COLUMN dpobj.schedule_charges.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_charges.scheduled IS 'scheduled time';
COMMENT ON COLUMN dpobj.schedule_charges.model IS 'name of the model, or of what was to be one';
COMMENT ON COLUMN dpobj.schedule_charges.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.schedule_charges.epsilon_nano IS 'charged epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.schedule_charges.delta_units IS 'charged delta in units of 1e-18';
COMMENT ON COLUMN dpobj.schedule_charges.charged IS 'when it was charged';
COMMENT ON COLUMN dpobj.schedule_charges.ended IS 'when it was released or failed; null: it has no end';
COMMENT ON COLUMN dpobj.schedule_charges.state IS 'released, failed or charged: may have been released';

CREATE VIEW dpobj.schedules WITH (security_barrier) AS
SELECT s.name,
       o.role_name::text AS owner,
       s.cron,
       c.oid::regclass AS relation,
       CASE WHEN c.oid IS NULL THEN t.relation_name
            ELSE pg_catalog.format('%I.%I', n.nspname, c.relname) END AS relation_name,
       s.label,
       s.epsilon,
       s.features,
       s.delta,
       s.method,
       s.options,
       s.filter,
       s.allowance,
       s.period,
       s.at,
       dpobj_internal.schedule_time(s.cron, pg_catalog.statement_timestamp(), true) AS next_run,
       dpobj_internal.schedule_model(s.name, dpobj_internal.schedule_time(s.cron, pg_catalog.statement_timestamp(), true)) AS next_model,
       (SELECT h.model FROM dpobj.schedule_charges h
         WHERE h.id = s.id AND h.state = 'released' ORDER BY h.scheduled DESC LIMIT 1) AS latest_model,
       dpobj_internal.cron_job(s.name, o.role_name) AS job,
       dpobj_internal.cron_statement(s.name, s.cron, o.role_name) AS cron_statement
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
  LEFT JOIN dpobj.identity_tables t ON t.id = s.relation
  LEFT JOIN pg_catalog.pg_class c ON c.oid = t.relation
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE o.role_name = session_user
    OR (SELECT dpobj_internal.sees_all())
    OR (SELECT dpobj_internal.administers());
COMMENT ON VIEW dpobj.schedules IS 'schedules of the role that logged in, whatever SET ROLE says; all of them for administrators and dpobj_auditor';
COMMENT ON COLUMN dpobj.schedules.name IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedules.owner IS 'the role that it runs as and that is charged; null when it has gone';
COMMENT ON COLUMN dpobj.schedules.cron IS 'when it runs, on pg_cron''s clock';
COMMENT ON COLUMN dpobj.schedules.relation IS 'the table; null when there is none by that OID or name any more';
COMMENT ON COLUMN dpobj.schedules.relation_name IS 'schema-qualified, quoted name; of a table that is gone the last one';
COMMENT ON COLUMN dpobj.schedules.label IS 'label';
COMMENT ON COLUMN dpobj.schedules.epsilon IS 'epsilon of one run';
COMMENT ON COLUMN dpobj.schedules.features IS 'features; null: all that are declared';
COMMENT ON COLUMN dpobj.schedules.delta IS 'delta of one run';
COMMENT ON COLUMN dpobj.schedules.method IS 'method';
COMMENT ON COLUMN dpobj.schedules.options IS 'options';
COMMENT ON COLUMN dpobj.schedules.filter IS 'filter';
COMMENT ON COLUMN dpobj.schedules.allowance IS 'epsilon that its runs may cost together in a period; null: no limit but the budgets''';
COMMENT ON COLUMN dpobj.schedules.period IS 'period of the allowance';
COMMENT ON COLUMN dpobj.schedules.at IS 'when it was made or changed';
COMMENT ON COLUMN dpobj.schedules.next_run IS 'next scheduled time';
COMMENT ON COLUMN dpobj.schedules.next_model IS 'name that the model of that run will have';
COMMENT ON COLUMN dpobj.schedules.latest_model IS 'name of the model of the last run that released one; null: none has';
COMMENT ON COLUMN dpobj.schedules.job IS 'pg_cron''s job; null: it has none, or not in this database, or you may not see it';
COMMENT ON COLUMN dpobj.schedules.cron_statement IS 'where there is no job, what a superuser runs in the database of pg_cron';

CREATE VIEW dpobj.schedule_runs WITH (security_barrier) AS
SELECT s.name AS schedule,
       o.role_name::text AS owner,
       u.scheduled,
       u.state,
       CASE WHEN u.state = 'released' THEN u.model END AS model,
       u.release,
       pg_catalog.trim_scale(u.epsilon_nano OPERATOR(pg_catalog.*) 0.000000001) AS epsilon,
       pg_catalog.trim_scale(u.delta_units OPERATOR(pg_catalog.*) 0.000000000000000001) AS delta,
       u.started,
       u.finished,
       u.sqlstate,
       u.message
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
 CROSS JOIN LATERAL
       (SELECT coalesce(h.scheduled, r.scheduled) AS scheduled,
               coalesce(h.state, r.state) AS state,
               h.model,
               h.release,
               h.epsilon_nano,
               h.delta_units,
               coalesce(r.started, h.charged) AS started,
               coalesce(r.finished, h.ended) AS finished,
               r.sqlstate,
               r.message
          FROM (SELECT * FROM dpobj.schedule_charges x WHERE x.id = s.id) h
          FULL JOIN (SELECT * FROM dpobj.schedule_run_rows x WHERE x.schedule = s.id) r
            ON r.scheduled = h.scheduled) u
 WHERE o.role_name = session_user
    OR (SELECT dpobj_internal.sees_all())
    OR (SELECT dpobj_internal.administers());
COMMENT ON VIEW dpobj.schedule_runs IS 'runs of the schedules of the role that logged in, whatever SET ROLE says; all of them for administrators and dpobj_auditor';
COMMENT ON COLUMN dpobj.schedule_runs.schedule IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedule_runs.owner IS 'role whose schedule it is; null when it has gone';
COMMENT ON COLUMN dpobj.schedule_runs.scheduled IS 'scheduled time; a run that was late or repeated has the last one before it began';
COMMENT ON COLUMN dpobj.schedule_runs.state IS 'released; skipped: budget or allowance is used up, nothing was charged; failed; charged: the run ended without a word and may have released';
COMMENT ON COLUMN dpobj.schedule_runs.model IS 'name of the model in dpobj.models';
COMMENT ON COLUMN dpobj.schedule_runs.release IS 'id of the charge in dpobj.ledger; null: nothing was charged';
COMMENT ON COLUMN dpobj.schedule_runs.epsilon IS 'charged epsilon';
COMMENT ON COLUMN dpobj.schedule_runs.delta IS 'charged delta';
COMMENT ON COLUMN dpobj.schedule_runs.started IS 'when the run was started';
COMMENT ON COLUMN dpobj.schedule_runs.finished IS 'when it ended; null: it has no end';
COMMENT ON COLUMN dpobj.schedule_runs.sqlstate IS 'SQLSTATE of why it was skipped or failed';
COMMENT ON COLUMN dpobj.schedule_runs.message IS 'why, in the words that the caller of dpobj.train would have got';

-- ---- runs ----

CREATE FUNCTION dpobj_internal.schedule_enter() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_schedule_enter';
COMMENT ON FUNCTION dpobj_internal.schedule_enter() IS
  'internal: waits for the other releases of the session''s role; they wait until the end of the transaction';

CREATE FUNCTION dpobj_internal.schedule_record(name text, scheduled timestamptz, started timestamptz, state text,
    sqlstate text, message text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_record';
COMMENT ON FUNCTION dpobj_internal.schedule_record(text, timestamptz, timestamptz, text, text, text) IS
  'internal: writes how a run of one''s own ended';

-- ---- making and removing ----

CREATE FUNCTION dpobj_internal.schedule_remove(name text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_remove';
COMMENT ON FUNCTION dpobj_internal.schedule_remove(text, regrole) IS
  'internal: removes a schedule, which pg_cron may still know';

CREATE FUNCTION dpobj.unschedule(name text, role regrole DEFAULT NULL) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    owner constant text := coalesce((SELECT r.rolname FROM pg_roles r WHERE r.oid = $2), session_user);
    job constant bigint := dpobj_internal.cron_job($1, owner);
  BEGIN
    PERFORM dpobj_internal.schedule_remove($1, $2);
    IF job IS NOT NULL THEN
      EXECUTE 'SELECT cron.unschedule($1)' USING job;
    ELSIF owner <> session_user OR NOT dpobj_internal.cron_is_here() THEN
      RAISE NOTICE 'pg_cron may still know schedule "%"', $1
        USING DETAIL = 'Each start of it will fail.',
              HINT = format('A superuser can run in the database of pg_cron: SELECT cron.unschedule(jobid) FROM cron.job '
                            'WHERE command = %L AND username = %L AND database = %L;', dpobj_internal.cron_command($1), owner,
                            current_database());
    END IF;
  END
  $$;
COMMENT ON FUNCTION dpobj.unschedule(text, regrole) IS
  'removes a schedule and pg_cron''s job; of another role''s for administrators. Models and charges stay';
