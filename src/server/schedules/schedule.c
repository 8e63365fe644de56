/*
 * schedule.c - the parts of schedules that need C: writing dpobj's own tables for the
 * caller, computing the times of a cron schedule, and reading settings of pg_cron.
 *
 * The rest is in src/sql/schedules.sql and src/sql/training.sql, in functions that run
 * as their caller.  The functions here write rows of the session user only.  They refuse
 * a current role that is not the session user: otherwise the owner of a SECURITY DEFINER
 * function could use the schedules of whoever calls it.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/varlena.h"

#include "server/base/argument.h"
#include "server/base/admin.h"
#include "server/analyst/analyst.h"
#include "server/schedules/cron_times.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/ledger/grant.h"
#include "server/base/identity.h"
#include "server/base/json_value.h"
#include "server/base/near_name.h"
#include "server/release/paid_call.h"

/* Bytes of a schedule's name; names of its models end with " YYYY-MM-DD HH:MI". */
#define NAME_MAX_LENGTH 200

/* Schedules of a role. */
#define MAX_SCHEDULES 100

/* The longest period of an allowance, so that a run's time less the period is a timestamp. */
#define PERIOD_YEARS 1000

/* Minutes from 1970-01-01 to 2000-01-01, where timestamps begin. */
#define EPOCH_MINUTES ((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * 1440)

/* ---- pg_cron's settings ------------------------------------------------------ */

static bool
preloads_cron(void)
{
	const char *libraries = GetConfigOption("shared_preload_libraries", true, false);
	List *names;
	ListCell *cell;

	if (libraries == NULL || !SplitDirectoriesString(pstrdup(libraries), ',', &names))
		return false;
	foreach (cell, names)
	{
		const char *slash = strrchr(lfirst(cell), '/');

		if (strcmp(slash == NULL ? lfirst(cell) : slash + 1, "pg_cron") == 0)
			return true;
	}
	return false;
}

/* A setting of pg_cron; NULL if the server has not loaded it. */
static const char *
cron_value(const char *name)
{
	return preloads_cron() ? GetConfigOption(name, true, false) : NULL;
}

static Datum
cron_setting(FunctionCallInfo fcinfo, const char *name)
{
	const char *value = cron_value(name);

	if (value == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(value));
}

PG_FUNCTION_INFO_V1(dpobj_cron_database);
Datum
dpobj_cron_database(PG_FUNCTION_ARGS)
{
	return cron_setting(fcinfo, "cron.database_name");
}

PG_FUNCTION_INFO_V1(dpobj_cron_timezone);
Datum
dpobj_cron_timezone(PG_FUNCTION_ARGS)
{
	return cron_setting(fcinfo, "cron.timezone");
}

/* A setting of pg_cron 1.6.8: a day must always fit both day of month and day of week. */
static bool
both_fields_of_days(void)
{
	const char *value = cron_value("cron.dom_dow_and_logic");
	bool both;

	return value != NULL && parse_bool(value, &both) && both;
}

/* ---- times ------------------------------------------------------------------- */

static void
parse_times(const char *cron, CronTimes *times)
{
	const char *problem = cron_times_parse(cron, both_fields_of_days(), times);

	if (problem != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" is no cron schedule", cron), errdetail("%s", problem)));
}

/* The minute of a time on the cron clock, counted from 1970. */
static int64
minute_of(Timestamp time)
{
	int64 minute = time / USECS_PER_MINUTE - (time % USECS_PER_MINUTE < 0 ? 1 : 0);

	return minute + EPOCH_MINUTES;
}

/* The minute may be up to forty years from a timestamp, and so out of range. */
static Timestamp
time_of(int64 minute)
{
	Timestamp time;

	if (pg_mul_s64_overflow(minute - EPOCH_MINUTES, USECS_PER_MINUTE, &time) ||
		!IS_VALID_TIMESTAMP(time))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range")));
	return time;
}

/* dpobj_internal.cron_time(cron, at, following) -> timestamp: the last one up to at, or the next */
PG_FUNCTION_INFO_V1(dpobj_cron_time);
Datum
dpobj_cron_time(PG_FUNCTION_ARGS)
{
	char *cron = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Timestamp at = PG_GETARG_TIMESTAMP(1);
	CronTimes times;
	int64 minute;

	parse_times(cron, &times);
	if (TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("the time must be finite")));
	if (!(PG_GETARG_BOOL(2) ? cron_times_next : cron_times_last)(&times, minute_of(at), &minute))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMP(time_of(minute));
}

/* ---- the caller -------------------------------------------------------------- */

static void
check_caller(void)
{
	if (GetUserId() == GetSessionUserId())
		return;
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
					errmsg("current role \"%s\" cannot use the schedules of session user \"%s\"",
						   GetUserNameFromId(GetUserId(), false),
						   GetUserNameFromId(GetSessionUserId(), false)),
					errhint("Call it outside of SECURITY DEFINER functions, after RESET ROLE.")));
}

/* Leaves the statements of dpobj's SQL functions out of an error's context. */
static ErrorContextCallback *
leave_out_context(void)
{
	ErrorContextCallback *callers = error_context_stack;

	error_context_stack = NULL;
	return callers;
}

static char *
optional_text(FunctionCallInfo fcinfo, int position)
{
	char *value = PG_ARGISNULL(position) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(position));

	return value[0] == '\0' ? NULL : value;
}

/* dpobj_internal.schedule_fail(code, message, detail, hint) -> void: raises this error */
PG_FUNCTION_INFO_V1(dpobj_schedule_fail);
Datum
dpobj_schedule_fail(PG_FUNCTION_ARGS)
{
	char *code = TextDatumGetCString(argument_value(fcinfo, 0, "code"));
	char *message = TextDatumGetCString(argument_value(fcinfo, 1, "message"));
	char *detail = optional_text(fcinfo, 2);
	char *hint = optional_text(fcinfo, 3);

	if (strlen(code) != 5 || strspn(code, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 5 ||
		strncmp(code, "00", 2) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" is no SQLSTATE of an error", code)));
	(void) leave_out_context();
	ereport(ERROR,
			(errcode(MAKE_SQLSTATE(code[0], code[1], code[2], code[3], code[4])),
			 errmsg_internal("%s", message), detail == NULL ? 0 : errdetail_internal("%s", detail),
			 hint == NULL ? 0 : errhint("%s", hint)));
}

/* dpobj_internal.schedule_begin() -> void: raises an error if the calling procedure cannot commit
 */
PG_FUNCTION_INFO_V1(dpobj_schedule_begin);
Datum
dpobj_schedule_begin(PG_FUNCTION_ARGS)
{
	if (!SPI_inside_nonatomic_context() || IsSubTransaction())
	{
		(void) leave_out_context();
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("dpobj.run_schedule cannot run inside a transaction block"),
				 errdetail("It commits how a run ended, and a function cannot do that, either.")));
	}
	PG_RETURN_VOID();
}

/* dpobj_internal.schedule_enter() -> void: keeps other runs of the role's schedules out until the
 * transaction ends */
PG_FUNCTION_INFO_V1(dpobj_schedule_enter);
Datum
dpobj_schedule_enter(PG_FUNCTION_ARGS)
{
	ErrorContextCallback *callers = leave_out_context();

	check_caller();
	charge_precheck();
	gate_enter_schedules(GetSessionUserId());
	error_context_stack = callers;
	PG_RETURN_VOID();
}

/* ---- rows -------------------------------------------------------------------- */

/* The arguments of dpobj_internal.schedule_put. */
enum
{
	PUT_CALL,
	PUT_RELATION,
	PUT_CALL_ARGUMENTS,
	PUT_NAME,
	PUT_CRON,
	PUT_ALLOWANCE,
	PUT_PERIOD,
	PUT_ARGUMENTS
};

/* Reads arguments for SPI, which are null where nulls has an n. */
static void
read_arguments(FunctionCallInfo fcinfo, int count, Datum *values, char *nulls)
{
	for (int i = 0; i < count; i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	nulls[count] = '\0';
}

static void
check_name(const char *name)
{
	if (name[0] == '\0' || strlen(name) > NAME_MAX_LENGTH)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the name of a schedule must have 1 to %d bytes", NAME_MAX_LENGTH)));
}

/* Checks a call as dpobj.submit does; returns its epsilon, a numeric. */
static Datum
read_call(FunctionCallInfo fcinfo)
{
	Jsonb *arguments;
	JsonbValue *epsilon;

	(void) argument_value(fcinfo, PUT_CALL_ARGUMENTS, "arguments");
	arguments = argument_json(fcinfo, PUT_CALL_ARGUMENTS, "arguments");
	(void) paid_call_statement(TextDatumGetCString(argument_value(fcinfo, PUT_CALL, "call")),
							   PG_GETARG_OID(PUT_RELATION), arguments,
							   TextDatumGetCString(PG_GETARG_DATUM(PUT_NAME)));
	epsilon = json_member(&arguments->root, "epsilon");
	argument_require(epsilon->type == jbvNull, "epsilon");
	return epsilon->type == jbvNumeric
			   ? NumericGetDatum(epsilon->val.numeric)
			   : DirectFunctionCall3(numeric_in, CStringGetDatum(json_get_string(epsilon)),
									 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

static bool
is_less(Datum one, Datum other)
{
	return DatumGetBool(DirectFunctionCall2(numeric_lt, one, other));
}

/* Checks months, days and time separately, because they are subtracted one after the other. */
static bool
is_within_timestamps(const Interval *period)
{
	int64 months = PERIOD_YEARS * MONTHS_PER_YEAR;
	int64 days = PERIOD_YEARS * INT64CONST(366);
	int64 time = days * USECS_PER_DAY;

	return period->month >= -months && period->month <= months && period->day >= -days &&
		   period->day <= days && period->time >= -time && period->time <= time;
}

/* An allowance must have room for one run.  NaN is greater than every number. */
static void
check_allowance(FunctionCallInfo fcinfo, Datum epsilon)
{
	Datum none = DirectFunctionCall1(int8_numeric, Int64GetDatum(0));
	Interval nothing = {0};
	Datum period;

	if (!is_less(none, epsilon) || numeric_is_nan(DatumGetNumeric(epsilon)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon must be greater than zero")));
	if (PG_ARGISNULL(PUT_ALLOWANCE))
		return;
	if (numeric_is_nan(PG_GETARG_NUMERIC(PUT_ALLOWANCE)) ||
		is_less(PG_GETARG_DATUM(PUT_ALLOWANCE), epsilon))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the allowance must be at least epsilon"),
						errdetail("No run would fit into it.")));
	period = argument_value(fcinfo, PUT_PERIOD, "the period of an allowance");
	if (!DatumGetBool(DirectFunctionCall2(interval_gt, period, IntervalPGetDatum(&nothing))))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the period of an allowance must be greater than zero")));
	if (!is_within_timestamps(DatumGetIntervalP(period)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the period of an allowance must not be longer than %d years",
							   PERIOD_YEARS)));
}

/* A schedule that is there already can be changed. */
static void
check_schedules(Datum name)
{
	static const char *const statement =
		"SELECT FROM dpobj.schedule_rows s JOIN dpobj.schedule_owners o ON o.id = s.id"
		" WHERE o.role = $1 AND s.name <> $2";
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(GetSessionUserId()), name};

	if (admin_execute(statement, lengthof(types), types, values, NULL) >= MAX_SCHEDULES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a role has %d schedules at most", MAX_SCHEDULES),
						errhint("Remove one with dpobj.unschedule.")));
}

/* Writes or changes the row. */
static void
put_row(FunctionCallInfo fcinfo, Datum epsilon)
{
	static const char *const statement =
		"WITH changed AS (UPDATE dpobj.schedule_rows s SET owner = o.role,"
		" owner_name = o.role_name, origin = dpobj_internal.origin(), at = clock_timestamp(),"
		" call = $1, relation = $2, arguments = $3, cron = $5, allowance = $6, period = $7,"
		" epsilon = $8 FROM dpobj.schedule_owners o"
		" WHERE o.id = s.id AND o.role_name = session_user AND s.name = $4 RETURNING s.id)"
		" INSERT INTO dpobj.schedule_rows (owner, owner_name, call, relation, arguments, name,"
		" cron, allowance, period, epsilon)"
		" SELECT r.oid, r.rolname, $1, $2, $3, $4, $5, $6, $7, $8"
		" FROM pg_roles r WHERE r.rolname = session_user AND NOT EXISTS (SELECT FROM changed)";
	Oid types[] = {TEXTOID, INT8OID,    JSONBOID,    TEXTOID,
				   TEXTOID, NUMERICOID, INTERVALOID, NUMERICOID};
	Datum values[lengthof(types)];
	char nulls[lengthof(types) + 1];

	check_schedules(PG_GETARG_DATUM(PUT_NAME));
	read_arguments(fcinfo, PUT_ARGUMENTS, values, nulls);
	values[PUT_RELATION] = Int64GetDatum(identity_of_table(PG_GETARG_OID(PUT_RELATION)));
	values[PUT_ARGUMENTS] = epsilon;
	nulls[PUT_ARGUMENTS] = ' ';
	(void) admin_execute(statement, lengthof(types), types, values, nulls);
}

/*
 * dpobj_internal.schedule_put(call, relation, arguments, name, cron, allowance, period) -> void:
 * makes or changes a schedule of the session user, who must have a budget for the table
 */
PG_FUNCTION_INFO_V1(dpobj_schedule_put);
Datum
dpobj_schedule_put(PG_FUNCTION_ARGS)
{
	ErrorContextCallback *callers = leave_out_context();
	CronTimes times;
	Datum epsilon;
	Oid table;

	check_caller();
	PreventCommandIfReadOnly("dpobj.schedule()");
	table = DatumGetObjectId(argument_value(fcinfo, PUT_RELATION, "relation"));
	check_name(TextDatumGetCString(argument_value(fcinfo, PUT_NAME, "name")));
	parse_times(TextDatumGetCString(argument_value(fcinfo, PUT_CRON, "cron")), &times);
	epsilon = read_call(fcinfo);
	check_allowance(fcinfo, epsilon);
	analyst_check_relation(table);
	grant_require(table);
	put_row(fcinfo, epsilon);
	error_context_stack = callers;
	PG_RETURN_VOID();
}

/*
 * dpobj_internal.schedule_remove(name, role) -> void: removes a schedule of the session user, or as
 * an administrator of that role
 */
PG_FUNCTION_INFO_V1(dpobj_schedule_remove);
Datum
dpobj_schedule_remove(PG_FUNCTION_ARGS)
{
	ErrorContextCallback *callers = leave_out_context();
	static const char *const statement =
		"DELETE FROM dpobj.schedule_rows s USING dpobj.schedule_owners o"
		" WHERE o.id = s.id AND s.name = $1 AND o.role = $2";
	static const char *const names =
		"SELECT ARRAY(SELECT s.name FROM dpobj.schedule_rows s, dpobj.schedule_owners o"
		" WHERE o.id = s.id AND o.role = $2 LIMIT 1000)";
	Oid types[] = {TEXTOID, OIDOID};
	Datum values[] = {argument_value(fcinfo, 0, "name"),
					  ObjectIdGetDatum(PG_ARGISNULL(1) ? GetSessionUserId() : PG_GETARG_OID(1))};

	PreventCommandIfReadOnly("dpobj.unschedule()");
	if (DatumGetObjectId(values[1]) == GetSessionUserId())
		check_caller();
	else if (!admin_allowed())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("only administrators may remove a schedule of another role"),
						errhint("Leave the role out to remove a schedule of your own.")));
	if (admin_execute(statement, lengthof(types), types, values, NULL) == 0)
	{
		List *named = admin_select_names(names, lengthof(types), types, values);
		const char *name = TextDatumGetCString(values[0]);

		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is no schedule \"%s\" of role \"%s\"", name,
							   GetUserNameFromId(DatumGetObjectId(values[1]), false)),
						errhint("%sSee dpobj.schedules.", near_name(name, named))));
	}
	error_context_stack = callers;
	PG_RETURN_VOID();
}

/*
 * dpobj_internal.schedule_record(name, scheduled, started, state, sqlstate, message) -> void:
 * writes how a run of the session user ended, and deletes all but the last thousand runs
 */
PG_FUNCTION_INFO_V1(dpobj_schedule_record);
Datum
dpobj_schedule_record(PG_FUNCTION_ARGS)
{
	static const char *const statement =
		"INSERT INTO dpobj.schedule_run_rows AS r (schedule, scheduled, started, state, sqlstate, "
		"message)"
		" SELECT s.id, $2, $3, $4, $5, left($6, 1000) FROM dpobj.schedule_rows s"
		" JOIN dpobj.schedule_owners o ON o.id = s.id"
		" WHERE o.role_name = session_user AND s.name = $1"
		" ON CONFLICT (schedule, scheduled) DO UPDATE SET started = excluded.started,"
		" finished = excluded.finished, state = excluded.state, sqlstate = excluded.sqlstate,"
		" message = excluded.message";
	static const char *const prune =
		"DELETE FROM dpobj.schedule_run_rows r USING dpobj.schedule_rows s, dpobj.schedule_owners o"
		" WHERE r.schedule = s.id AND o.id = s.id AND o.role_name = session_user AND s.name = $1"
		" AND r.scheduled < (SELECT k.scheduled FROM dpobj.schedule_run_rows k"
		" WHERE k.schedule = s.id ORDER BY k.scheduled DESC OFFSET 999 LIMIT 1)";
	Oid types[] = {TEXTOID, TIMESTAMPTZOID, TIMESTAMPTZOID, TEXTOID, TEXTOID, TEXTOID};
	Datum values[lengthof(types)];
	char nulls[lengthof(types) + 1];

	check_caller();
	read_arguments(fcinfo, lengthof(types), values, nulls);
	(void) admin_execute(statement, lengthof(types), types, values, nulls);
	(void) admin_execute(prune, 1, types, values, nulls);
	PG_RETURN_VOID();
}
