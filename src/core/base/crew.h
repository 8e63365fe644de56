/*
 * crew.h - several threads at one piece of work.
 */
#ifndef DPOBJ_CORE_CREW_H
#define DPOBJ_CORE_CREW_H

#define CREW_MAX_THREADS 64

/*
 * Calls work once for each context, in parallel if threads can be started.  The calls must divide
 * the work among themselves as they go: if no thread starts, only the call in the calling thread
 * does the work.
 */
extern void crew_run(int threads, void (*work)(void *context), void *const *context);

#endif
