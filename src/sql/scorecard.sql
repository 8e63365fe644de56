-- Models as points

CREATE OR REPLACE FUNCTION dpobj.scorecard(model dpobj.model_argument, owner regrole DEFAULT NULL, OUT "position" integer,
    OUT feature text, OUT level text, OUT points integer, OUT weight float8, OUT error float8, OUT class text) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL SAFE ROWS 50
  AS 'MODULE_PATHNAME', 'dpobj_scorecard';
COMMENT ON FUNCTION dpobj.scorecard(dpobj.model_argument, regrole) IS
  'what each level of each feature adds to the score, of a model of several classes to that of each class; points where all weights of halfspaces are integers; error: about how far the noise has moved the weight, one standard error, null: not known';

CREATE OR REPLACE VIEW dpobj.scorecards WITH (security_barrier) AS
SELECT m.name, m.owner, m.release, m.key, s."position", s.feature, s.level, s.points
  FROM dpobj.models m CROSS JOIN LATERAL dpobj.scorecard(m.model) s
 WHERE (m.model).kind = 'halfspace';
COMMENT ON VIEW dpobj.scorecards IS 'the halfspaces of dpobj.models as points: positive if the sum of those that apply is greater than the threshold';
COMMENT ON COLUMN dpobj.scorecards.name IS 'name of the model; null: none';
COMMENT ON COLUMN dpobj.scorecards.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.scorecards.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.scorecards.key IS 'key of the group that it is about; null: the whole table';
COMMENT ON COLUMN dpobj.scorecards."position" IS 'order of the rows of a model, from 1';
COMMENT ON COLUMN dpobj.scorecards.feature IS 'column or element of the array; (intercept) applies always, (threshold) is what the sum must exceed';
COMMENT ON COLUMN dpobj.scorecards.level IS 'value of the column, or the unit that the points are for';
COMMENT ON COLUMN dpobj.scorecards.points IS 'what it adds; null: no prediction, or no whole number';
