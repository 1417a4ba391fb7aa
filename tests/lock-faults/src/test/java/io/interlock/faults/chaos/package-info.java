/**
 * The faults, chosen from a seed.
 */
@NullMarked
package io.interlock.faults.chaos;

import org.jspecify.annotations.NullMarked;
