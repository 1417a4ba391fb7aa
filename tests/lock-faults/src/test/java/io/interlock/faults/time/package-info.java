/**
 * The passing of time, where nothing else will do.
 */
@NullMarked
package io.interlock.faults.time;

import org.jspecify.annotations.NullMarked;
