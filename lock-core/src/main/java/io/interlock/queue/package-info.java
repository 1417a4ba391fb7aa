/**
 * The local queue: one contender per lock in this JVM, whose grant is handed from thread
 * to thread.
 */
@NullMarked
package io.interlock.queue;

import org.jspecify.annotations.NullMarked;
