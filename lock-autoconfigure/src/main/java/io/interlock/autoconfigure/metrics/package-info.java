/**
 * Auto-configuration of the meters of locks.
 */
@NullMarked
package io.interlock.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
