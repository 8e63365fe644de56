-- Costs that add up: basic composition, zero-concentrated privacy, Renyi divergences

/*
 * What one release costs (src/core/accounting/accounting.h).  epsilon is in units of 1e-9, deltas in units
 * of 1e-18, rho and the divergences in units of 1e-12; the greatest bigint means: nothing finite
 * is known.  rho_delta and rdp_delta are what rho and the divergences leave out; the divergences
 * are of the orders dpobj_internal.rdp_orders(), for neighbours as adjacency says, and rdp_replaced, of
 * an add_remove release, for one row that goes and one that comes.
 */
CREATE TYPE dpobj.charge_cost AS
(
    adjacency text,
    epsilon_nano bigint,
    delta_units bigint,
    rho_pico bigint,
    rho_delta bigint,
    rdp_pico bigint[],
    rdp_delta bigint,
    rdp_replaced bigint[]
);
COMMENT ON TYPE dpobj.charge_cost IS 'what one release costs, in units of the ledger';

CREATE OR REPLACE FUNCTION dpobj_internal.rdp_orders() RETURNS integer[]
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rdp_orders';
COMMENT ON FUNCTION dpobj_internal.rdp_orders() IS
  'internal: orders of the Renyi divergences in the ledger';

/*
 * The cost where neighbours are those of unit.  A row that is replaced is one that goes and one
 * that comes: (epsilon, delta) becomes (2 epsilon, (1 + e^epsilon) delta), rho becomes 4 rho
 * (theorem N5).  Deltas are rounded up, plus a unit for the last digits of exp(), which gives as
 * many digits as its argument has; e^100 exceeds every cap.
 * These functions are inlined into queries on views, under the search_path of the superuser who
 * runs the query: so each operator and type is named with its schema.
 * No cost under replace follows from one under add_remove; src/server/ledger/charge_protection.c
 * refuses such a charge.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.cost_under(cost dpobj.charge_cost, unit text, accountant text,
    place integer) RETURNS numeric
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT CASE
      WHEN $3 OPERATOR(pg_catalog.=) 'basic'
        THEN CASE WHEN $1.adjacency OPERATOR(pg_catalog.=) $2 THEN 1::pg_catalog.numeric ELSE 2 END
             OPERATOR(pg_catalog.*) $1.epsilon_nano::pg_catalog.numeric
      WHEN $3 OPERATOR(pg_catalog.=) 'zcdp'
        THEN CASE WHEN $1.adjacency OPERATOR(pg_catalog.=) $2 THEN 1::pg_catalog.numeric ELSE 4 END
             OPERATOR(pg_catalog.*) $1.rho_pico::pg_catalog.numeric
      WHEN $3 OPERATOR(pg_catalog.=) 'rdp'
        THEN (CASE WHEN $1.adjacency OPERATOR(pg_catalog.=) $2 THEN $1.rdp_pico
                   ELSE $1.rdp_replaced END)[$4]::pg_catalog.numeric
    END
  $$;
COMMENT ON FUNCTION dpobj_internal.cost_under(dpobj.charge_cost, text, text, integer) IS
  'internal: a cost in the currency of an accountant; place: of its order in dpobj_internal.rdp_orders()';

CREATE OR REPLACE FUNCTION dpobj_internal.delta_under(cost dpobj.charge_cost, unit text, accountant text) RETURNS numeric
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT CASE
      WHEN CASE WHEN $3 OPERATOR(pg_catalog.=) 'basic' THEN $1.delta_units
                WHEN $3 OPERATOR(pg_catalog.=) 'zcdp' THEN $1.rho_delta
                ELSE $1.rdp_delta END OPERATOR(pg_catalog.=) 0::pg_catalog.int8 THEN 0
      WHEN $1.adjacency OPERATOR(pg_catalog.=) $2
        THEN CASE WHEN $3 OPERATOR(pg_catalog.=) 'basic' THEN $1.delta_units
                  WHEN $3 OPERATOR(pg_catalog.=) 'zcdp' THEN $1.rho_delta
                  ELSE $1.rdp_delta END
      ELSE pg_catalog.ceil(
             CASE WHEN $3 OPERATOR(pg_catalog.=) 'basic' THEN $1.delta_units
                  WHEN $3 OPERATOR(pg_catalog.=) 'zcdp' THEN $1.rho_delta
                  ELSE $1.rdp_delta END::pg_catalog.numeric
             OPERATOR(pg_catalog.*) (1::pg_catalog.numeric OPERATOR(pg_catalog.+) pg_catalog.exp(
               least($1.epsilon_nano, 100000000000)::pg_catalog.numeric
               OPERATOR(pg_catalog.*) 0.0000000010000000000000000000000000000000)))
           OPERATOR(pg_catalog.+) 1::pg_catalog.numeric
    END
  $$;
COMMENT ON FUNCTION dpobj_internal.delta_under(dpobj.charge_cost, text, text) IS
  'internal: what an accountant adds up as delta';

CREATE OR REPLACE FUNCTION dpobj_internal.composed_epsilon(accountant text, rdp_order integer, cost numeric,
    delta_units bigint) RETURNS numeric
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_composed_epsilon';
COMMENT ON FUNCTION dpobj_internal.composed_epsilon(text, integer, numeric, bigint) IS
  'internal: the epsilon, in units of 1e-9, that a sum of costs implies at a delta; null: none';

CREATE OR REPLACE FUNCTION dpobj_internal.largest_epsilon(accountant text, rdp_order integer, room numeric) RETURNS numeric
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_largest_epsilon';
COMMENT ON FUNCTION dpobj_internal.largest_epsilon(text, integer, numeric) IS
  'internal: the largest epsilon, in units of 1e-9, of a pure release that costs no more';
