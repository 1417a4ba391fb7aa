/**
 * Locks of Interlock for the scheduled tasks of ShedLock.
 */
@NullMarked
package io.interlock.shedlock;

import org.jspecify.annotations.NullMarked;
