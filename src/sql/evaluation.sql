-- Private evaluation: what both doors return

CREATE TYPE @extschema@.dp_confusion_table AS (
  true_positives bigint,
  false_positives bigint,
  false_negatives bigint,
  true_negatives bigint
);
COMMENT ON TYPE @extschema@.dp_confusion_table IS 'noisy numbers of rows by prediction and label; where there are few, the noise can make them negative';
COMMENT ON COLUMN @extschema@.dp_confusion_table.true_positives IS 'predicted positive, labelled positive';
COMMENT ON COLUMN @extschema@.dp_confusion_table.false_positives IS 'predicted positive, labelled negative';
COMMENT ON COLUMN @extschema@.dp_confusion_table.false_negatives IS 'predicted negative, labelled positive';
COMMENT ON COLUMN @extschema@.dp_confusion_table.true_negatives IS 'predicted negative, labelled negative';
