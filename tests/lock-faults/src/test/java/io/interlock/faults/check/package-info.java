/**
 * The history of a run, and the checkers that judge it.
 */
@NullMarked
package io.interlock.faults.check;

import org.jspecify.annotations.NullMarked;
