/*
 * charge_wait.h - does another process wait for this session?
 */
#ifndef DPOBJ_CHARGE_WAIT_H
#define DPOBJ_CHARGE_WAIT_H

/*
 * Says whether the process waits for a lock of this session, also through other processes.  The
 * deadlock detector cannot tell, because this session waits for the process on its latch.
 */
extern bool charge_waits_for_us(int pid);

#endif
