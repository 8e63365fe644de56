# dpobj - differentially private training inside PostgreSQL
#
#   make demo     set everything up in a throw-away cluster and train a model
#   make check    every test, in throw-away clusters
#   make          build; make install: install into the server of pg_config
#
# demo and check install the Debian packages they miss when run as root, so
# they must not need pg_config yet: they are scripts, and PGXS is not read.

ifneq (,$(filter demo check,$(MAKECMDGOALS)))

demo check:
	@bash scripts/$@.sh

.PHONY: demo check

else

DPOBJ_VERSION = 0.1.0
EXTENSION = dpobj
MODULE_big = dpobj
OBJS = $(patsubst %.c,%.o,$(wildcard src/server/*.c))
DATA_built = dpobj--$(DPOBJ_VERSION).sql
# In the order of installation: each needs what the ones before it make.
SCRIPT = $(patsubst %,src/sql/%.sql,schema roles identities accounting ledger protections budgets models \
	aggregates ftrl analyst groups evaluation price schedules report privileges)

CORE = src/core/libdpobj_core.a
CORE_OBJS = $(patsubst %.c,%.o,$(wildcard src/core/*.c))
CORE_HEADERS = $(wildcard src/core/*.h)
SOLVER = src/solver/dpobj-solver
SOLVER_OBJS = $(patsubst %.c,%.o,$(wildcard src/solver/*.c))
SOLVER_HEADERS = $(wildcard src/solver/*.h)

# The core and the solver know nothing of PostgreSQL: they get flags of their own.
CORE_CFLAGS = -std=c11 -O3 -g -fPIC -fvisibility=hidden -Wall -Wextra $(WERROR)
CORE_LIBS = -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread

PG_CPPFLAGS = -I$(srcdir)/src -DDPOBJ_VERSION='"$(DPOBJ_VERSION)"'
PG_CFLAGS = -Wextra -Wno-declaration-after-statement -Wno-unused-parameter \
	-Wno-sign-compare -Wno-missing-field-initializers $(WERROR)
SHLIB_LINK = $(CORE) $(CORE_LIBS) -Wl,--exclude-libs,ALL -Wl,--as-needed
REGRESS = arguments options rows shapes expressions models budgets accounting report encoders protect scan person train price convex ftrl nets opsamp classifier simplex descent groups evaluate schedules
ISOLATION = $(patsubst tests/specs/%.spec,%,$(wildcard tests/specs/*.spec))
ISOLATION_OPTS = --inputdir=tests --load-extension=dpobj
EXTRA_CLEAN = $(CORE) $(CORE_OBJS) $(SOLVER) $(SOLVER_OBJS) build

PG_CONFIG ?= pg_config
# No bitcode: the inner loops are in C already, and clang need not be installed.
override with_llvm = no
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

all: $(SOLVER)

$(CORE_OBJS): %.o: %.c $(CORE_HEADERS)
	$(CC) $(CORE_CFLAGS) -I$(srcdir)/src -c -o $@ $<

$(SOLVER_OBJS): %.o: %.c $(CORE_HEADERS) $(SOLVER_HEADERS)
	$(CC) $(CORE_CFLAGS) -D_GNU_SOURCE -DDPOBJ_VERSION='"$(DPOBJ_VERSION)"' -I$(srcdir)/src -c -o $@ $<

$(CORE): $(CORE_OBJS)
	rm -f $@
	$(AR) crs $@ $^

$(SOLVER): $(SOLVER_OBJS) $(CORE)
	$(CC) $(CORE_CFLAGS) -o $@ $(SOLVER_OBJS) $(CORE) -lglpk $(CORE_LIBS)

$(OBJS): $(CORE_HEADERS) $(SOLVER_HEADERS) $(wildcard src/server/*.h)

$(shlib): $(CORE)

dpobj--$(DPOBJ_VERSION).sql: $(SCRIPT)
	cat $^ > $@

# PGXS cannot install a program beside a module, so this does.
install: install-solver
install-solver: $(SOLVER)
	$(MKDIR_P) '$(DESTDIR)$(pkglibdir)'
	$(INSTALL_PROGRAM) $(SOLVER) '$(DESTDIR)$(pkglibdir)/dpobj-solver-$(DPOBJ_VERSION)'

uninstall: uninstall-solver
uninstall-solver:
	rm -f '$(DESTDIR)$(pkglibdir)/dpobj-solver-$(DPOBJ_VERSION)'

core: $(CORE)

.PHONY: core install-solver uninstall-solver

endif
