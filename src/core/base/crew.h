/*
 * crew.h - several threads at one piece of work.
 */
#ifndef DPOBJ_CORE_CREW_H
#define DPOBJ_CORE_CREW_H

#define CREW_MAX_THREADS 64

/*
 * Calls work once for each context, at the same time if threads can be had.  The calls
 * must share out what there is to do among themselves: one of them, in the
 * calling thread, may be the only one that ever runs.
 */
extern void crew_run(int threads, void (*work)(void *context), void *const *context);

#endif
