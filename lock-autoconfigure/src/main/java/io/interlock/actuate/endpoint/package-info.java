/** Actuator endpoint for the locks of this JVM and of all clients. */
@NullMarked
package io.interlock.actuate.endpoint;

import org.jspecify.annotations.NullMarked;
