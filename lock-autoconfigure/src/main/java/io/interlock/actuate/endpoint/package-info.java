/**
 * What this JVM and the whole cluster hold and wait for, as an Actuator endpoint.
 */
@NullMarked
package io.interlock.actuate.endpoint;

import org.jspecify.annotations.NullMarked;
