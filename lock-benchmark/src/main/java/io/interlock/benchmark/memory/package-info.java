/**
 * A lock provider without any server, to measure what stands before one.
 */
@NullMarked
package io.interlock.benchmark.memory;

import org.jspecify.annotations.NullMarked;
