/**
 * Locks on ZooKeeper: an engine without threads on Curator's wire format, and the monitor
 * that knows whether the session is still alive.
 */
@NullMarked
package io.interlock.curator;

import org.jspecify.annotations.NullMarked;
