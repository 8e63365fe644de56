-- Schedules: paid calls that pg_cron starts

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
    label text,
    epsilon numeric NOT NULL,
    features text[],
    delta numeric,
    method text,
    options jsonb,
    filter jsonb,
    allowance numeric,
    period interval,
    call text,
    arguments jsonb,
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

COMMENT ON TABLE dpobj.schedule_rows IS 'schedules, written by dpobj''s functions only';
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
COMMENT ON COLUMN dpobj.schedule_rows.epsilon IS 'epsilon of one run';
COMMENT ON COLUMN dpobj.schedule_rows.arguments IS 'its arguments but for relation and name';
COMMENT ON COLUMN dpobj.schedule_rows.allowance IS 'epsilon that its runs may cost together in a period; null: no limit but the budgets''';
COMMENT ON COLUMN dpobj.schedule_rows.period IS 'period of the allowance';
COMMENT ON COLUMN dpobj.schedule_rows.label IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.schedule_rows.features IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.schedule_rows.delta IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.schedule_rows.method IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.schedule_rows.options IS 'of dpobj.train, in a row of 0.3.0; with a call, its arguments';
COMMENT ON COLUMN dpobj.schedule_rows.filter IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.schedule_rows.call IS 'the function, dpobj.<call>; null, of 0.3.0: dpobj.train';
COMMENT ON TABLE dpobj.schedule_run_rows IS 'the last thousand runs of each schedule, as they ended';
COMMENT ON INDEX dpobj.schedule_run_rows_pkey IS 'a scheduled time has one run, however often it is tried';
COMMENT ON COLUMN dpobj.schedule_run_rows.schedule IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_run_rows.scheduled IS 'scheduled time';
COMMENT ON COLUMN dpobj.schedule_run_rows.started IS 'when the run was started';
COMMENT ON COLUMN dpobj.schedule_run_rows.finished IS 'when it ended';
COMMENT ON COLUMN dpobj.schedule_run_rows.state IS 'released, skipped or failed';
COMMENT ON COLUMN dpobj.schedule_run_rows.sqlstate IS 'SQLSTATE that a caller of the function would have got; null: none';
COMMENT ON COLUMN dpobj.schedule_run_rows.message IS 'its message and detail; never about a row';

-- ---- times and pg_cron ----

CREATE OR REPLACE FUNCTION dpobj_internal.cron_time(cron text, at timestamp, following boolean DEFAULT false) RETURNS timestamp
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_time';
COMMENT ON FUNCTION dpobj_internal.cron_time(text, timestamp, boolean) IS
  'the last time up to a given one that a cron schedule names, or the first one that follows it; on pg_cron''s clock';

CREATE OR REPLACE FUNCTION dpobj_internal.cron_database() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_database';
COMMENT ON FUNCTION dpobj_internal.cron_database() IS
  'the database that pg_cron has its jobs in; null: the server has not loaded pg_cron';

CREATE OR REPLACE FUNCTION dpobj_internal.cron_timezone() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_timezone';
COMMENT ON FUNCTION dpobj_internal.cron_timezone() IS
  'the time zone of pg_cron''s schedules; null: GMT, as always before pg_cron 1.5';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_time(cron text, at timestamptz, following boolean DEFAULT false) RETURNS timestamptz
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.cron_time($1, $2 AT TIME ZONE z.zone, $3) AT TIME ZONE z.zone
      FROM (SELECT coalesce(dpobj_internal.cron_timezone(), 'GMT') AS zone) z
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_time(text, timestamptz, boolean) IS
  'the last scheduled time up to a given one, or the first one that follows it';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_model(name text, scheduled timestamptz) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT $1 || to_char($2 AT TIME ZONE 'GMT', ' YYYY-MM-DD HH24:MI') $$;
COMMENT ON FUNCTION dpobj_internal.schedule_model(text, timestamptz) IS
  'name of the model or answer of a scheduled time: the schedule''s, and the time in GMT';

-- Computes the time instead of casting it: a model may have any name, and no name may raise an error.
-- Uses [0-9], because \d matches other digits in some locales.
CREATE OR REPLACE FUNCTION dpobj_internal.schedule_of_model(model text, OUT name text, OUT scheduled timestamptz) RETURNS record
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

CREATE OR REPLACE FUNCTION dpobj_internal.cron_command(name text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT format('CALL dpobj.run_schedule(%L)', $1) $$;
COMMENT ON FUNCTION dpobj_internal.cron_command(text) IS
  'what pg_cron runs for a schedule of that name';

-- A job's name has type name, and is unique for a role in all databases.  A database with a blank in its
-- name is quoted, whatever quote_all_identifiers says, so that "a b" and "c" differ from "a" and "b c".
CREATE OR REPLACE FUNCTION dpobj_internal.cron_jobname(name text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN octet_length(j.name) < 64 THEN j.name ELSE 'dpobj ' || md5(j.name) END
      FROM (SELECT format('dpobj %s %s', CASE WHEN d.name ~ '[ "]' THEN '"' || replace(d.name, '"', '""') || '"'
                                         ELSE d.name END, $1) AS name
              FROM current_database() d(name)) j
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_jobname(text) IS
  'name of pg_cron''s job for a schedule of that name';

CREATE OR REPLACE FUNCTION dpobj_internal.cron_statement(name text, cron text, role text) RETURNS text
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
CREATE OR REPLACE FUNCTION dpobj_internal.cron_is_here() RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(dpobj_internal.cron_database() = current_database(), false)
       AND EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron')
       AND EXISTS (SELECT FROM pg_namespace n
                   WHERE n.nspname = 'cron' AND has_schema_privilege(n.oid, 'USAGE'))
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_is_here() IS
  'has this database pg_cron''s jobs, and may the caller use them?';

CREATE OR REPLACE FUNCTION dpobj_internal.cron_job(name text, role text) RETURNS bigint
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

CREATE OR REPLACE FUNCTION dpobj_internal.administers() RETURNS boolean
  LANGUAGE C STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_administers';
COMMENT ON FUNCTION dpobj_internal.administers() IS
  'may the caller administer? superusers and those to whom a superuser granted dpobj_admin';

CREATE OR REPLACE VIEW dpobj.schedule_owners AS
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

-- ---- runs ----

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_enter() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_schedule_enter';
COMMENT ON FUNCTION dpobj_internal.schedule_enter() IS
  'internal: waits for other runs of the schedules of the session''s role; they wait until the end of the transaction';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_record(name text, scheduled timestamptz, started timestamptz, state text,
    sqlstate text, message text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_record';
COMMENT ON FUNCTION dpobj_internal.schedule_record(text, timestamptz, timestamptz, text, text, text) IS
  'internal: writes how a run of one''s own ended';

-- ---- making and removing ----

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_remove(name text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_remove';
COMMENT ON FUNCTION dpobj_internal.schedule_remove(text, regrole) IS
  'internal: removes a schedule, which pg_cron may still know';

CREATE OR REPLACE FUNCTION dpobj.unschedule(name text, role regrole DEFAULT NULL) RETURNS void
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
  'removes a schedule and pg_cron''s job; of another role''s for administrators. Models, answers and charges stay';
