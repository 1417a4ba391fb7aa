/**
 * The ways of locking that are compared, each as its users use it.
 */
@NullMarked
package io.interlock.benchmark.contestant;

import org.jspecify.annotations.NullMarked;
