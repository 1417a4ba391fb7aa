/**
 * Rules about the code as a whole.
 */
@NullMarked
package io.interlock.architecture;

import org.jspecify.annotations.NullMarked;
