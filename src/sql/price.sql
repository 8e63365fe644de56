-- What a call would cost: from public parameters, for everybody, without a charge

CREATE OR REPLACE FUNCTION dpobj.price_aggregate(method text, d integer, epsilon numeric, delta numeric DEFAULT 0,
    options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_price_dimension';
COMMENT ON FUNCTION dpobj.price_aggregate(text, integer, numeric, numeric, jsonb) IS
  'what an aggregate on d features would cost, and how far from the best model it may be; of method accuracy, confusion or select with d models, and of a look with d groups and bins, how far from the truth';

-- Not an overload of dpobj.price: a quoted table name could be taken for a plan.
CREATE OR REPLACE FUNCTION dpobj.price_plan(plan jsonb, delta numeric) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_price_plan';
COMMENT ON FUNCTION dpobj.price_plan(jsonb, numeric) IS
  'what a batch of releases costs together under each accountant, at a delta; plan: [{"method", "d", "epsilon", "delta", "options", "count"}, ...]';
