/*
 * glpk_plugins.c - GLPK loads no libraries.
 *
 * It would for tables of databases, which nothing here reads.  These functions take the place of
 * its own, so that the solver needs no dynamic linker and can be linked statically (Makefile).
 */
#include <stddef.h>

extern void *_glp_dlopen(const char *library);
extern void *_glp_dlsym(void *library, const char *symbol);
extern void _glp_dlclose(void *library);

void *
_glp_dlopen(const char *library)
{
	(void) library;
	return NULL;
}

void *
_glp_dlsym(void *library, const char *symbol)
{
	(void) library;
	(void) symbol;
	return NULL;
}

void
_glp_dlclose(void *library)
{
	(void) library;
}
