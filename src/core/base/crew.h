/* crew.h - several threads that share one piece of work. */
#ifndef DPOBJ_CORE_CREW_H
#define DPOBJ_CORE_CREW_H

#define CREW_MAX_THREADS 64

/*
 * Calls work once for each context, in parallel if threads can be started.  The calls divide the
 * work among themselves while they run: if no thread starts, the call in the calling thread does
 * all of it.
 */
extern void crew_run(int threads, void (*work)(void *context), void *const *context);

#endif
