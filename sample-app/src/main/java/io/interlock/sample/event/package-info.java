/**
 * Events, their seats, and the three kinds of access that the lock keeps apart.
 */
@NullMarked
package io.interlock.sample.event;

import org.jspecify.annotations.NullMarked;
