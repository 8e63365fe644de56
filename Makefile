# dpobj - differentially private training inside PostgreSQL
#
#   make demo       set everything up in a throw-away cluster and train a model
#   make check      what a change needs at once, in throw-away clusters: a few minutes
#   make check-all  every test, in throw-away clusters
#   make audit      try the privacy of every mechanism, there or on the server of PGHOST
#   make            build; make install: install into the server of pg_config
#   make dist       archives of the tagged version below dist; REF=HEAD: of what is committed
#   make package    Debian packages of what is committed, for each major version, below dist
#
# They install the Debian packages they miss when run as root, so
# they must not need pg_config yet: they are scripts, and PGXS is not read.

DPOBJ_VERSION = 0.4.0

ifneq (,$(filter demo check check-all audit prove fuzz dist package,$(MAKECMDGOALS)))

demo check audit prove:
	@bash scripts/$@.sh

TIMES = 20
fuzz:
	@DPOBJ_FUZZ_TIMES=$(TIMES) bash scripts/check.sh fuzz

check-all:
	@bash scripts/check.sh all

# A zip as PGXN wants it, a tar as packagers do.
REF = v$(DPOBJ_VERSION)
NAME = dpobj-$(DPOBJ_VERSION)
DIST = dist
dist:
	@git show $(REF):Makefile | grep -qx 'DPOBJ_VERSION = $(DPOBJ_VERSION)' || \
	  { echo "$(REF) is not version $(DPOBJ_VERSION)" >&2; exit 1; }
	@mkdir -p $(DIST)
	git archive --format=zip --prefix=$(NAME)/ -o $(DIST)/$(NAME).zip $(REF)
	git archive --format=tar.gz --prefix=$(NAME)/ -o $(DIST)/$(NAME).tar.gz $(REF)

package:
	@mkdir -p $(DIST)
	@KEEP=$(abspath $(DIST)) bash scripts/package.sh deb

.PHONY: demo check check-all audit prove fuzz dist package

else

EXTENSION = dpobj
MODULE_big = dpobj
OBJS = $(patsubst %.c,%.o,$(wildcard src/server/*.c src/server/*/*.c))
DATA_built = dpobj--$(DPOBJ_VERSION).sql dpobj--0.3.0--$(DPOBJ_VERSION).sql
# In the order of installation: each needs what the ones before it make.
script = $(patsubst %,src/sql/%.sql,$(1))
SCRIPT = $(call script,schema roles identities accounting ledger names protections populations views budgets models argument_types rows groups \
	evaluation price definers sharing prediction jobs schedules parts looks aggregates classes answers registry rating scorecard \
	trainers epochs failures earlier_charges charge_counts spending limits report maintenance schedule_runs training drift \
	model_facts model_card show report_models report_registry report_html verify_report seen guards settings arguments privileges namesakes)

CORE = src/core/libdpobj_core.a
CORE_OBJS = $(patsubst %.c,%.o,$(wildcard src/core/*/*.c))
CORE_HEADERS = $(wildcard src/core/*/*.h)
SOLVER = src/solver/dpobj-solver
SOLVER_OBJS = $(patsubst %.c,%.o,$(wildcard src/solver/*.c))
SOLVER_HEADERS = $(wildcard src/solver/*.h)

# The core and the solver know nothing of PostgreSQL: they get flags of their own.
# No machine fuses a product with a sum: dpobj.predict_sql says the same to the last bit.
CORE_CFLAGS = $(COPT) -std=c11 -O3 -ffp-contract=off -g -fPIC -fvisibility=hidden -Wall -Wextra $(WERROR)
CORE_LIBS = -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
# Where the linker writes what it linked, for scripts/sbom.pl.
LINK_MAP = $(if $(DPOBJ_MAPS),-Wl$(comma)-Map=$(DPOBJ_MAPS)/$(MAJORVERSION)-$(@F).map)
comma = ,

PG_CPPFLAGS = -I$(srcdir)/src -I$(libpq_srcdir) -DDPOBJ_VERSION='"$(DPOBJ_VERSION)"'
PG_CFLAGS = -ffp-contract=off -Wextra -Wno-declaration-after-statement -Wno-unused-parameter \
	-Wno-sign-compare -Wno-missing-field-initializers $(WERROR)
SHLIB_LINK = $(CORE) $(CORE_LIBS) $(libpq) -Wl,--exclude-libs,ALL -Wl,--as-needed $(LINK_MAP)
REGRESS = arguments options labels coverage dates rows shapes expressions models budgets populations limits accounting report encoders casts protect declare scan person train price convex pool bad_input views view_functions ftrl nets opsamp classifier simplex linear levels softmax one_vs_rest descent descent_clipped groups near_name evaluate holdout rating looks discover quantiles profile suggest residuals auc kept registry prediction export jobs answer_jobs schedules schedule_answers drift defaults
ISOLATION = $(patsubst tests/specs/%.spec,%,$(wildcard tests/specs/*.spec))
REGRESS_OPTS += --load-extension=dpobj
ISOLATION_OPTS += --inputdir=tests --load-extension=dpobj
EXTRA_CLEAN = $(CORE) $(CORE_OBJS) $(SOLVER) $(SOLVER_OBJS) report_page.inc build

PG_CONFIG ?= pg_config
# No bitcode: the inner loops are in C already, and clang need not be installed.
override with_llvm = no
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# src/server/base/compat.h has what differs between them.
MAJORS = 14 15 16 17 18 19
$(if $(filter $(MAJORS),$(MAJORVERSION)),,$(error dpobj knows PostgreSQL $(MAJORS), and $(PG_CONFIG) has $(VERSION); \
  docs/install.md says which versions are tested))

all: $(SOLVER)

$(CORE_OBJS): %.o: %.c $(CORE_HEADERS)
	$(CC) $(CORE_CFLAGS) -I$(srcdir)/src -c -o $@ $<

$(SOLVER_OBJS): %.o: %.c $(CORE_HEADERS) $(SOLVER_HEADERS)
	$(CC) $(CORE_CFLAGS) -D_GNU_SOURCE -DDPOBJ_VERSION='"$(DPOBJ_VERSION)"' -I$(srcdir)/src -c -o $@ $<

$(CORE): $(CORE_OBJS)
	rm -f $@
	$(AR) crs $@ $^

# A static program starts in a third of the time.  Where a library has no archive, the second line makes
# one that is not.  With a sanitizer it must not be static.
SOLVER_STATIC = -static-pie
LINK_SOLVER = $(CC) $(CORE_CFLAGS) $(LINK_MAP) -Wl,-z,relro -Wl,-z,now -o $(SOLVER) $(SOLVER_OBJS) $(CORE)
$(SOLVER): $(SOLVER_OBJS) $(CORE)
	$(LINK_SOLVER) $(SOLVER_STATIC) -lglpk $(CORE_LIBS) -lz 2>/dev/null || \
	$(LINK_SOLVER) -lglpk $(CORE_LIBS)

$(OBJS): $(CORE_HEADERS) $(SOLVER_HEADERS) $(wildcard src/server/*/*.h)

$(shlib): $(CORE)

src/server/ledger/report_page.o: report_page.inc

# The template as a string of C.
report_page.inc: src/server/ledger/report_page.html
	(echo 'static const char *const template ='; sed 's/["\\]/\\&/g; s/.*/"&\\n"/' $<; echo ';') > $@

dpobj--$(DPOBJ_VERSION).sql: $(SCRIPT)
	cat $^ > $@

# The changes of tables and the like, then what can be replaced.
dpobj--0.3.0--$(DPOBJ_VERSION).sql: $(call script,upgrade/head upgrade/0.3.0--0.4.0) $(SCRIPT)
	cat $(call script,upgrade/head argument_types upgrade/0.3.0--0.4.0) > $@
	perl $(srcdir)/scripts/update_sql.pl $(filter-out %/argument_types.sql,$(SCRIPT)) >> $@ || { rm -f $@; exit 1; }

# PGXS cannot install a program beside a module, so this does.
install: install-solver
install-solver: $(SOLVER)
	$(MKDIR_P) '$(DESTDIR)$(pkglibdir)'
	$(INSTALL_PROGRAM) $(SOLVER) '$(DESTDIR)$(pkglibdir)/dpobj-solver-$(DPOBJ_VERSION)'

uninstall: uninstall-solver
uninstall-solver:
	rm -f '$(DESTDIR)$(pkglibdir)/dpobj-solver-$(DPOBJ_VERSION)'

core: $(CORE)

# For a compiler that only warns.
objects: $(OBJS) $(CORE_OBJS) $(SOLVER_OBJS)

.PHONY: core objects install-solver uninstall-solver

endif
