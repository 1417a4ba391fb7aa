/**
 * Many buyers at once, on all instances.
 */
@NullMarked
package io.interlock.sample.rush;

import org.jspecify.annotations.NullMarked;
