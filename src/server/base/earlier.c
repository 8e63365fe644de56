/*
 * earlier.c - entry points of 0.3.0 that this version has no more: its functions ask for the update
 * of a database that has not been updated yet.
 */
#include "postgres.h"

#include "fmgr.h"

#include "server/base/extension.h"

#define EARLIER(name)                                                                              \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		extension_require();                                                                       \
		elog(ERROR, "a function of an earlier version is called");                                 \
	}

EARLIER(dpobj_submit_training)
EARLIER(dpobj_named_model)
EARLIER(dpobj_predict_sql_model)
EARLIER(dpobj_predict_sql_name)
EARLIER(dpobj_submit_answer)
EARLIER(dpobj_share)
EARLIER(dpobj_unshare)
EARLIER(dpobj_unmark_part)
EARLIER(dpobj_model_json)
EARLIER(dpobj_model_pmml)
EARLIER(dpobj_class_confusion)
EARLIER(dpobj_confusion)
EARLIER(dpobj_report)
EARLIER(dpobj_report_html)
EARLIER(dpobj_schedule_training)
EARLIER(dpobj_answer_statement)
EARLIER(dpobj_count)
EARLIER(dpobj_sum)
EARLIER(dpobj_avg)
EARLIER(dpobj_histogram)
EARLIER(dpobj_quantiles)
EARLIER(dpobj_profile)
EARLIER(dpobj_residuals)
EARLIER(dpobj_auc)
EARLIER(dpobj_calibration)
EARLIER(dpobj_average_final)
EARLIER(dpobj_histogram_final)
EARLIER(dpobj_quantiles_final)
EARLIER(dpobj_scan_digest)
EARLIER(dpobj_scan_rows)
