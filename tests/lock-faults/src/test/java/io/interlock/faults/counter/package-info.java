/**
 * A counter in a database that instances increment under a lock, while they are stopped.
 */
@NullMarked
package io.interlock.faults.counter;

import org.jspecify.annotations.NullMarked;
