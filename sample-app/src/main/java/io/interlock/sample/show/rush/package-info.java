/**
 * Many buyers at once, on all instances.
 */
@NullMarked
package io.interlock.sample.show.rush;

import org.jspecify.annotations.NullMarked;
