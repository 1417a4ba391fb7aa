/**
 * What is true about the session: its handle, the state of its connection, its lease, and
 * the timer that looks after it.
 */
@NullMarked
package io.interlock.zookeeper.internal.session;

import org.jspecify.annotations.NullMarked;
