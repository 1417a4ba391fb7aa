/** The line of code that asks for a lock. A test compares the lines with the sources. */

const SALE = '@DistributedLock(name = "seats", key = "#eventId", maxHold = "30s")';
const READING = '@ReadLock(name = "seats", key = "#eventId")';
const STALLED = 'LockRequest.exclusive(this.name).withWaitTime(WAIT_TIME)';

const REQUESTS = {
  rush: 'LockRequest.exclusive("rush")',
  settlement: '@DistributedLock(name = "settlement", minHold = "period", onContention = ContentionPolicy.SKIP)',
  'late-write': 'LockRequest.exclusive("late-write")',
  caller: 'LockRequest.exclusive("caller").withWaitTime(Duration.ofSeconds(1))',
};

export function codeOf({ name }, holder) {
  if (holder?.thread.startsWith('stalled-')) {
    return STALLED;
  }
  if (name === 'seats') {
    return holder?.mode === 'SHARED' ? READING : SALE;
  }
  return REQUESTS[name] ?? '';
}
