/**
 * A time that a test moves.
 */
@NullMarked
package io.interlock.testsupport.time;

import org.jspecify.annotations.NullMarked;
