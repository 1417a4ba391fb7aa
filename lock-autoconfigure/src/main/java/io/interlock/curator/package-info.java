/**
 * Locks on ZooKeeper: Curator's recipe behind a guarded driver, and the monitor that
 * knows whether the session still stands.
 */
@NullMarked
package io.interlock.curator;

import org.jspecify.annotations.NullMarked;
