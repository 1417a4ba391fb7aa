/**
 * Auto-configuration of observations.
 */
@NullMarked
package io.interlock.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
