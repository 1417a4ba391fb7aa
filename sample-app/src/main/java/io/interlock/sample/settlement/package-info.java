/**
 * A scheduled job that one instance runs for all.
 */
@NullMarked
package io.interlock.sample.settlement;

import org.jspecify.annotations.NullMarked;
