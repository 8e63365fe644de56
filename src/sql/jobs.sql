-- Jobs: paid calls in the background

/*
 * One row per job.  dpobj.submit writes it in the caller's transaction; later the job's worker and
 * dpobj.cancel do.  No column has a reg* type, because a restore has other OIDs.  Rows of 0.3.0
 * have no arguments, but label, epsilon, features, delta, method, options and filter of dpobj.train;
 * with a call its arguments are the options.  Jobs that were
 * queued or running when a dump was made read as failed after its restore.
 */
CREATE TABLE dpobj.job_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    state text NOT NULL DEFAULT 'queued',
    submitted timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    started timestamptz,
    finished timestamptz,
    origin text NOT NULL DEFAULT dpobj_internal.origin(),
    role oid NOT NULL,
    role_name text NOT NULL,
    relation oid NOT NULL,
    relation_name text NOT NULL,
    label text,
    epsilon numeric,
    features text[],
    delta numeric,
    method text,
    options jsonb,
    filter jsonb,
    request_hash bytea NOT NULL,
    release bigint,
    sqlstate text,
    reason text,
    call text,
    arguments jsonb,
    CONSTRAINT job_state_known CHECK (state IN ('queued', 'running', 'released', 'failed', 'cancelled')),
    CONSTRAINT job_released_what CHECK (state <> 'released' OR release IS NOT NULL),
    CONSTRAINT job_hash_is_sha256 CHECK (pg_catalog.octet_length(request_hash) = 32),
    CONSTRAINT job_reason_has_code CHECK ((sqlstate IS NULL) = (reason IS NULL))
);
CREATE INDEX job_rows_open_idx ON dpobj.job_rows (id) WHERE state IN ('queued', 'running');
CREATE INDEX job_rows_name_idx ON dpobj.job_rows (role, name);
SELECT pg_catalog.pg_extension_config_dump('dpobj.job_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.job_rows_id_seq', '');
COMMENT ON TABLE dpobj.job_rows IS 'jobs: what was asked for and what became of it';
COMMENT ON SEQUENCE dpobj.job_rows_id_seq IS 'numbers of jobs';
COMMENT ON INDEX dpobj.job_rows_pkey IS 'number of a job';
COMMENT ON INDEX dpobj.job_rows_open_idx IS 'jobs that have not ended';
COMMENT ON INDEX dpobj.job_rows_name_idx IS 'the jobs of a role by their names';
COMMENT ON COLUMN dpobj.job_rows.id IS 'number of the job';
COMMENT ON COLUMN dpobj.job_rows.name IS 'name of the job and of its model or answer';
COMMENT ON COLUMN dpobj.job_rows.state IS 'queued, running, released, failed or cancelled; running without a worker: failed';
COMMENT ON COLUMN dpobj.job_rows.submitted IS 'when it was submitted';
COMMENT ON COLUMN dpobj.job_rows.started IS 'when a worker took it; of one that is queued again, when it was';
COMMENT ON COLUMN dpobj.job_rows.finished IS 'when it ended, with the precision of dpobj.release_tick; null for one whose worker died';
COMMENT ON COLUMN dpobj.job_rows.origin IS 'server and database where the OIDs hold, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.job_rows.role IS 'the session user who submitted it';
COMMENT ON COLUMN dpobj.job_rows.role_name IS 'name that he had then';
COMMENT ON COLUMN dpobj.job_rows.relation IS 'the table';
COMMENT ON COLUMN dpobj.job_rows.relation_name IS 'schema-qualified, quoted name that the table had then';
COMMENT ON COLUMN dpobj.job_rows.label IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.job_rows.epsilon IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.job_rows.features IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.job_rows.delta IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.job_rows.method IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.job_rows.options IS 'of dpobj.train, in a row of 0.3.0; with a call, its arguments';
COMMENT ON COLUMN dpobj.job_rows.filter IS 'of dpobj.train, in a row of 0.3.0';
COMMENT ON COLUMN dpobj.job_rows.call IS 'the function, dpobj.<call>; null, of 0.3.0: dpobj.train';
COMMENT ON COLUMN dpobj.job_rows.arguments IS 'its arguments but for relation and name; null: the job has ended';
COMMENT ON COLUMN dpobj.job_rows.request_hash IS 'SHA-256 of the call';
COMMENT ON COLUMN dpobj.job_rows.release IS 'id of the charge in dpobj.ledger; of a job that found its model there already, of that model';
COMMENT ON COLUMN dpobj.job_rows.sqlstate IS 'of the error that it ended in';
COMMENT ON COLUMN dpobj.job_rows.reason IS 'what the error, or the warning of a released model, said to the public';

-- Schedules of 0.3.0 ran dpobj.train without the intercept that they did not name. The option "confidence" of looks was "level".
CREATE OR REPLACE FUNCTION dpobj_internal.arguments_of_0_3(call text, label text, epsilon numeric, features text[], delta numeric,
    method text, options jsonb, filter jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN $7 #> '{options,level}' IS NOT NULL
                THEN jsonb_set($7, '{options}', ($7 -> 'options') - 'level' || jsonb_build_object('confidence', $7 #> '{options,level}'))
                WHEN $1 IS NOT NULL THEN $7
                ELSE jsonb_build_object('label', $2, 'epsilon', $3, 'delta', $5, 'method', $6, 'options', coalesce($7, '{}'))
                     || CASE WHEN $4 IS NULL THEN '{}' ELSE jsonb_build_object('features', $4) END
                     || CASE WHEN $8 IS NULL THEN '{}' ELSE jsonb_build_object('filter', $8) END END
  $$;
COMMENT ON FUNCTION dpobj_internal.arguments_of_0_3(text, text, numeric, text[], numeric, text, jsonb, jsonb) IS
  'internal: the arguments of a call that 0.3.0 has kept';

CREATE OR REPLACE FUNCTION dpobj.cancel(job bigint) RETURNS boolean
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_cancel';
COMMENT ON FUNCTION dpobj.cancel(bigint) IS
  'cancels a job of one''s own, or as an administrator; false if it has ended. A charge that was made stays';

CREATE OR REPLACE FUNCTION dpobj.wait(job bigint, timeout interval DEFAULT NULL) RETURNS text
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_wait';
COMMENT ON FUNCTION dpobj.wait(bigint, interval) IS
  'waits until a job has ended, or for so long (null: without end); returns its state';

CREATE OR REPLACE FUNCTION dpobj_internal.job_list(OUT id bigint, OUT name text, OUT state text, OUT submitted timestamptz,
    OUT started timestamptz, OUT finished timestamptz, OUT phase text, OUT model @extschema@.dp_model,
    OUT relation regclass, OUT relation_name text, OUT submitter text, OUT release bigint,
    OUT sqlstate text, OUT reason text, OUT rows_scanned bigint, OUT rows_total bigint,
    OUT nodes bigint, OUT attempts bigint, OUT gap float8) RETURNS SETOF record
  LANGUAGE C VOLATILE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_job_list';
COMMENT ON FUNCTION dpobj_internal.job_list() IS
  'the jobs that the current role may see, as they are now: dpobj.jobs and dpobj.progress show them';

CREATE OR REPLACE VIEW dpobj.jobs WITH (security_barrier) AS
SELECT id, name, state, submitted, started, finished, phase, model, relation, relation_name, submitter,
       release, sqlstate, reason
  FROM dpobj_internal.job_list();
COMMENT ON VIEW dpobj.jobs IS 'jobs of the current role; all of them for superusers, dpobj_admin and dpobj_auditor';
COMMENT ON COLUMN dpobj.jobs.id IS 'number that dpobj.submit returned';
COMMENT ON COLUMN dpobj.jobs.name IS 'name of the job and of its model or answer';
COMMENT ON COLUMN dpobj.jobs.state IS 'queued, running, released, failed or cancelled';
COMMENT ON COLUMN dpobj.jobs.submitted IS 'when it was submitted';
COMMENT ON COLUMN dpobj.jobs.started IS 'when a worker took it; of one that is queued again, when it was';
COMMENT ON COLUMN dpobj.jobs.finished IS 'when it ended, with the precision of dpobj.release_tick; null for one whose worker died';
COMMENT ON COLUMN dpobj.jobs.phase IS 'queued, scanning, solving or releasing; null: it has ended';
COMMENT ON COLUMN dpobj.jobs.model IS 'the model, for its owner and superusers; null while there is none';
COMMENT ON COLUMN dpobj.jobs.relation IS 'the table; null when it has gone';
COMMENT ON COLUMN dpobj.jobs.relation_name IS 'name that the table had when the job was submitted';
COMMENT ON COLUMN dpobj.jobs.submitter IS 'the session user who submitted it and is charged';
COMMENT ON COLUMN dpobj.jobs.release IS 'id of the charge in dpobj.ledger; null: nothing was charged';
COMMENT ON COLUMN dpobj.jobs.sqlstate IS 'of the error that it ended in; null if its worker died';
COMMENT ON COLUMN dpobj.jobs.reason IS 'why it failed, as far as that is public; why a queued job waits, if that is known';

CREATE OR REPLACE VIEW dpobj.progress WITH (security_barrier) AS
SELECT id AS job, name, relation_name, submitter, phase, rows_scanned, rows_total,
       nodes, attempts, gap,
       date_trunc('second', clock_timestamp() - submitted) AS age
  FROM dpobj_internal.job_list()
 WHERE phase IS NOT NULL;
COMMENT ON VIEW dpobj.progress IS 'how far the jobs are that have not ended, as it was at the last tick: SELECT * FROM dpobj.progress \watch 1';
COMMENT ON COLUMN dpobj.progress.job IS 'number of the job';
COMMENT ON COLUMN dpobj.progress.name IS 'its name';
COMMENT ON COLUMN dpobj.progress.relation_name IS 'the table';
COMMENT ON COLUMN dpobj.progress.submitter IS 'the session user who submitted it';
COMMENT ON COLUMN dpobj.progress.phase IS 'queued, scanning, solving or releasing';
COMMENT ON COLUMN dpobj.progress.rows_scanned IS 'rows behind the scan, from the pages that it has passed, in twentieths of all; no filter matters; null where rows_total is';
COMMENT ON COLUMN dpobj.progress.rows_total IS 'how many rows the table has by its public statistics; null where that is no public number: under add_remove, and where persons are protected';
COMMENT ON COLUMN dpobj.progress.nodes IS 'boxes of the grid that the solver has looked into; for the owner of the table only, because it depends on the rows';
COMMENT ON COLUMN dpobj.progress.attempts IS 'attempts of a sampler; for the owner of the table only';
COMMENT ON COLUMN dpobj.progress.gap IS 'by how many misclassified rows the optimum is better, at most, than the best vector so far; for the owner of the table only';
COMMENT ON COLUMN dpobj.progress.age IS 'since it was submitted';

-- A job reads its table after its charge.
COMMENT ON COLUMN dpobj.ledger_events.snapshot IS
  'snapshot that the release read, as pg_current_snapshot() writes it; of a job, that of its charge, just before it read';
