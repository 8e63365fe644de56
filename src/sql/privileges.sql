REVOKE ALL ON ALL FUNCTIONS IN SCHEMA dpobj FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpobj.model_hash(@extschema@.dp_model), dpobj.verify(@extschema@.dp_model), dpobj.sees_all(),
  dpobj.origin(), dpobj.epoch(), dpobj.remaining(regclass, regrole),
  dpobj.budgets_applying(regclass, regrole), dpobj.calls_that_fit(regclass, dpobj.charge_cost),
  dpobj.relatives(bigint), dpobj.rdp_orders(), dpobj.cost_under(dpobj.charge_cost, text, text, integer),
  dpobj.delta_under(dpobj.charge_cost, text, text),
  dpobj.composed_epsilon(text, integer, numeric, bigint), dpobj.largest_epsilon(text, integer, numeric),
  dpobj.features(jsonb, anyelement), dpobj.protected_features(regclass, text[]),
  dpobj.train(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text),
  dpobj.train_groups(regclass, text[], text, numeric, text[], numeric, text, jsonb, jsonb, text),
  dpobj.evaluate(text, regclass, numeric, jsonb),
  dpobj.confusion(text, regclass, numeric, jsonb), dpobj.select(text[], regclass, numeric, jsonb),
  dpobj.price(regclass, numeric, text[], numeric, text, jsonb, text),
  dpobj.price(text, integer, numeric, numeric, jsonb), dpobj.price_plan(jsonb, numeric),
  dpobj.composed_charges(regclass, regrole, text, numeric), dpobj.recompute(regclass, regrole, text, numeric),
  dpobj.report(regclass, numeric), dpobj.report_text(regclass, numeric), dpobj.report_lines(text, integer),
  dpobj.report_budget(jsonb), dpobj.report_event(jsonb), dpobj.report_releases(jsonb) TO PUBLIC;
-- Not enough alone: who granted the membership is looked at in each call (src/server/admin.c).
GRANT EXECUTE ON FUNCTION dpobj.set_budget(regclass, regrole, numeric, numeric, text, bigint, integer,
    numeric),
  dpobj.raise_budget(regclass, regrole, numeric, numeric, text), dpobj.drop_budget(regclass, regrole), dpobj.confirm_epoch(),
  dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean),
  dpobj.unprotect(regclass) TO dpobj_admin;
