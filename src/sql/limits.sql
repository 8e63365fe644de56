-- Limits of a table's owner on all budgets

/*
 * A limit is a budget over all roles whose role is -1, which is no identity (src/server/ledger/budget.c).
 * Charges count and lock it like any other budget; functions of administrators cannot change it.
 */
COMMENT ON COLUMN dpobj.budget_rows.role IS 'identity of the role or group; null: all roles together; -1: all roles together, the limit of the table''s owner';
COMMENT ON TABLE dpobj.budget_rows IS 'privacy budgets; written by dpobj.set_budget, dpobj.drop_budget and dpobj.limit_budget only';
COMMENT ON COLUMN dpobj.ledger_events.event IS 'charged: before any noise is drawn; released: before the answer is sent; failed: nothing was released, the charge stays; protect, unprotect, set_budget, raise_budget, drop_budget, limit_budget, confirm_epoch, mark_part, unmark_part, reset_failures, population: administration; read_part: before the rows of a part leave for another server; remember_server: the epoch of another server when it was first met; maintenance: what an administrator has done to the database';
COMMENT ON COLUMN dpobj.ledger.event IS 'charged, released, failed, protect, unprotect, set_budget, raise_budget, drop_budget, limit_budget, confirm_epoch, mark_part, unmark_part, read_part, remember_server, reset_failures, maintenance or population; a charge without an end may have been released';

CREATE OR REPLACE FUNCTION dpobj.limit_budget(relation regclass, epsilon numeric, delta numeric, reason text DEFAULT NULL,
    accountant text DEFAULT 'basic', max_releases bigint DEFAULT NULL, rdp_order integer DEFAULT NULL,
    delta_reserve numeric DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_limit_budget';
COMMENT ON FUNCTION dpobj.limit_budget(regclass, numeric, numeric, text, text, bigint, integer, numeric) IS
  'for the owner of a table: caps what all roles together may spend on it, whatever administrators give; a limit is raised, or with null for epsilon and delta removed, for a reason';
