-- Schedules and their runs, as views

-- The charges of runs: models and answers of the role with names that its schedules have given, whatever they are called now.
CREATE OR REPLACE VIEW dpobj.schedule_charges AS
SELECT s.id,
       p.scheduled,
       m.name AS model,
       m.release,
       c.epsilon_nano,
       c.delta_units,
       c.at AS charged,
       e.at AS ended,
       CASE WHEN m.model IS NOT NULL OR m.answer IS NOT NULL THEN 'released' ELSE coalesce(e.event, 'charged') END AS state,
       CASE WHEN coalesce(s.call, 'train') IN ('train', 'train_groups') THEN m.model IS NOT NULL AND m.retired IS NULL ELSE m.answer IS NOT NULL END AS in_use
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
  JOIN dpobj.identity_roles r ON r.role = o.role
  JOIN dpobj.model_rows m ON m.owner = r.id AND m.place = 1
 CROSS JOIN LATERAL (SELECT pg_catalog.left(n.name, pg_catalog.length(n.name) - coalesce(pg_catalog.length(m.key::text), 0)) AS name
                       FROM (SELECT coalesce(m.charged_as, m.name)) n(name)) n
 CROSS JOIN LATERAL dpobj_internal.schedule_of_model(n.name) p
  JOIN dpobj.ledger_events c ON c.id = m.release
  LEFT JOIN dpobj.ledger_events e ON e.release = m.release
 WHERE pg_catalog.left(n.name, -17) = s.name AND p.name = s.name;
COMMENT ON VIEW dpobj.schedule_charges IS 'charges of runs, by the ledger and the names of models and answers';
COMMENT ON COLUMN dpobj.schedule_charges.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_charges.scheduled IS 'scheduled time';
COMMENT ON COLUMN dpobj.schedule_charges.model IS 'name of the model or answer now, or of what was to be one; null: it was deleted';
COMMENT ON COLUMN dpobj.schedule_charges.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.schedule_charges.epsilon_nano IS 'charged epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.schedule_charges.delta_units IS 'charged delta in units of 1e-18';
COMMENT ON COLUMN dpobj.schedule_charges.charged IS 'when it was charged';
COMMENT ON COLUMN dpobj.schedule_charges.ended IS 'when it was released or failed; null: it has no end';
COMMENT ON COLUMN dpobj.schedule_charges.state IS 'released, failed or charged: may have been released';
COMMENT ON COLUMN dpobj.schedule_charges.in_use IS 'is there a model, which is not retired, or of a look or an evaluation an answer?';

CREATE OR REPLACE VIEW dpobj.schedules_seen AS
SELECT s.name,
       o.role_name::text AS owner,
       s.cron,
       t.relation::regclass AS relation,
       coalesce(dpobj_internal.table_name(t.relation) COLLATE "C", t.relation_name) AS relation_name,
       coalesce(s.call, 'train') AS call,
       coalesce(s.arguments, dpobj_internal.arguments_of_0_3(s.call, s.label, s.epsilon, s.features, s.delta, s.method,
                CASE WHEN s.call IS NULL THEN '{"intercept": false}' || coalesce(s.options, '{}') ELSE s.options END, s.filter)) AS arguments,
       s.epsilon,
       s.allowance,
       s.period,
       s.at,
       dpobj_internal.schedule_time(s.cron, pg_catalog.statement_timestamp(), true) AS next_run,
       dpobj_internal.schedule_model(s.name, dpobj_internal.schedule_time(s.cron, pg_catalog.statement_timestamp(), true)) AS next_model,
       (SELECT h.model FROM dpobj.schedule_charges h
         WHERE h.id = s.id AND h.in_use ORDER BY h.scheduled DESC LIMIT 1) AS latest_model,
       dpobj_internal.cron_job(s.name, o.role_name) AS job,
       dpobj_internal.cron_statement(s.name, s.cron, o.role_name) AS cron_statement
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
  LEFT JOIN dpobj.identity_tables t ON t.id = s.relation
 WHERE o.role = dpobj_internal.reader()
    OR dpobj_internal.reader_sees_all()
    OR (SELECT dpobj_internal.administers());
COMMENT ON VIEW dpobj.schedules_seen IS 'dpobj.schedules of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_schedules() RETURNS SETOF dpobj.schedules_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_schedules() IS 'internal: dpobj.schedules_seen for the reader';
CREATE OR REPLACE VIEW dpobj.schedules AS SELECT * FROM dpobj_internal.see_schedules();
COMMENT ON VIEW dpobj.schedules IS 'schedules of the role that logged in, whatever SET ROLE says; all of them for administrators and dpobj_auditor';
COMMENT ON COLUMN dpobj.schedules.name IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedules.owner IS 'the role that it runs as and that is charged; null when it has gone';
COMMENT ON COLUMN dpobj.schedules.cron IS 'when it runs, on pg_cron''s clock';
COMMENT ON COLUMN dpobj.schedules.relation IS 'the table; null when there is none by that OID or name any more';
COMMENT ON COLUMN dpobj.schedules.relation_name IS 'schema-qualified, quoted name; of a table that is gone the last one';
COMMENT ON COLUMN dpobj.schedules.call IS 'the function, dpobj.<call>';
COMMENT ON COLUMN dpobj.schedules.arguments IS 'its arguments but for relation and name';
COMMENT ON COLUMN dpobj.schedules.epsilon IS 'epsilon of one run';
COMMENT ON COLUMN dpobj.schedules.allowance IS 'epsilon that its runs may cost together in a period; null: no limit but the budgets''';
COMMENT ON COLUMN dpobj.schedules.period IS 'period of the allowance';
COMMENT ON COLUMN dpobj.schedules.at IS 'when it was made or changed';
COMMENT ON COLUMN dpobj.schedules.next_run IS 'next scheduled time';
COMMENT ON COLUMN dpobj.schedules.next_model IS 'name that the model or answer of that run will have';
COMMENT ON COLUMN dpobj.schedules.latest_model IS 'name of the model of the last run whose model is in use, neither retired nor deleted, or of the last answer; null: there is none';
COMMENT ON COLUMN dpobj.schedules.job IS 'pg_cron''s job; null: it has none, or not in this database, or you may not see it';
COMMENT ON COLUMN dpobj.schedules.cron_statement IS 'where there is no job, what a superuser runs in the database of pg_cron';

CREATE OR REPLACE VIEW dpobj.schedule_runs_seen AS
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
 WHERE o.role = dpobj_internal.reader()
    OR dpobj_internal.reader_sees_all()
    OR (SELECT dpobj_internal.administers());
COMMENT ON VIEW dpobj.schedule_runs_seen IS 'dpobj.schedule_runs of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_schedule_runs() RETURNS SETOF dpobj.schedule_runs_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_schedule_runs() IS 'internal: dpobj.schedule_runs_seen for the reader';
CREATE OR REPLACE VIEW dpobj.schedule_runs AS SELECT * FROM dpobj_internal.see_schedule_runs();
COMMENT ON VIEW dpobj.schedule_runs IS 'runs of the schedules of the role that logged in, whatever SET ROLE says; all of them for administrators and dpobj_auditor';
COMMENT ON COLUMN dpobj.schedule_runs.schedule IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedule_runs.owner IS 'role whose schedule it is; null when it has gone';
COMMENT ON COLUMN dpobj.schedule_runs.scheduled IS 'scheduled time; a run that was late or repeated has the last one before it began';
COMMENT ON COLUMN dpobj.schedule_runs.state IS 'released; skipped: budget or allowance is used up, or there is no model to rate, and nothing was charged; failed; charged: the run ended without a word and may have released';
COMMENT ON COLUMN dpobj.schedule_runs.model IS 'name of the model in dpobj.models, or of the answer in dpobj.answers; null: there is none, or it was deleted';
COMMENT ON COLUMN dpobj.schedule_runs.release IS 'id of the charge in dpobj.ledger; null: nothing was charged';
COMMENT ON COLUMN dpobj.schedule_runs.epsilon IS 'charged epsilon';
COMMENT ON COLUMN dpobj.schedule_runs.delta IS 'charged delta';
COMMENT ON COLUMN dpobj.schedule_runs.started IS 'when the run was started';
COMMENT ON COLUMN dpobj.schedule_runs.finished IS 'when it ended; null: it has no end';
COMMENT ON COLUMN dpobj.schedule_runs.sqlstate IS 'SQLSTATE of why it was skipped or failed';
COMMENT ON COLUMN dpobj.schedule_runs.message IS 'why, in the words that a caller of the function would have got';
