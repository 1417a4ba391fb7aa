/** A page to look at locks, at an endpoint of Actuator. */
@NullMarked
package io.interlock.console;

import org.jspecify.annotations.NullMarked;
