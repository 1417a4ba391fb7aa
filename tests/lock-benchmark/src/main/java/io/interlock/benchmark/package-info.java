/**
 * Measures Interlock beside what else there is, on one server and in one run.
 */
@NullMarked
package io.interlock.benchmark;

import org.jspecify.annotations.NullMarked;
