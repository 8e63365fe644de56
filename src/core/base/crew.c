/* crew.c - starts threads for one piece of work and waits for them. */
#include "core/base/crew.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct Member
{
	void (*work)(void *context);
	void *context;
	pthread_t thread;
	bool started;
} Member;

static void *
begin(void *argument)
{
	Member *member = argument;

	member->work(member->context);
	return NULL;
}

void
crew_run(int threads, void (*work)(void *context), void *const *context)
{
	Member member[CREW_MAX_THREADS];

	/* The calling thread works too, so a thread that cannot be started costs only time. */
	for (int k = 1; k < threads; k++)
	{
		member[k] = (Member){.work = work, .context = context[k]};
		member[k].started = pthread_create(&member[k].thread, NULL, begin, &member[k]) == 0;
	}
	work(context[0]);
	for (int k = 1; k < threads; k++)
		if (member[k].started)
			(void) pthread_join(member[k].thread, NULL);
}
