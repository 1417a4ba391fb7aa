/**
 * Threads that lock and unlock, and the check that they exclude each other.
 */
@NullMarked
package io.interlock.benchmark.load;

import org.jspecify.annotations.NullMarked;
