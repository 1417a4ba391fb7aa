/**
 * The servers on which stores of locks are compared.
 */
@NullMarked
package io.interlock.benchmark.store;

import org.jspecify.annotations.NullMarked;
