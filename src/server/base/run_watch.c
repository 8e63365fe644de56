/*
 * run_watch.c - who is told how far the releases of this process are.
 */
#include "server/base/run_watch.h"

const RunWatch *run_watch = NULL;
