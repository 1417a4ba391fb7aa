/**
 * An application that is started with the starter on its class path and without it.
 */
@NullMarked
package io.interlock.benchmark.start;

import org.jspecify.annotations.NullMarked;
