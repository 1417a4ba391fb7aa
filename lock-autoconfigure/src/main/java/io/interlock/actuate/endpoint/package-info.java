/**
 * What this JVM holds and waits for, as an Actuator endpoint.
 */
@NullMarked
package io.interlock.actuate.endpoint;

import org.jspecify.annotations.NullMarked;
