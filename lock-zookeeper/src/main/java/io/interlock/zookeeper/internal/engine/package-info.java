/**
 * Locks on ZooKeeper: an engine without threads on Curator's wire format, and the monitor
 * that knows whether the session is still alive.
 */
@NullMarked
package io.interlock.zookeeper.internal.engine;

import org.jspecify.annotations.NullMarked;
