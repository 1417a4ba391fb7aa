/**
 * JMH benchmarks of the parts that need no server.
 */
@NullMarked
package io.interlock.benchmark.jmh;

import org.jspecify.annotations.NullMarked;
