/**
 * What operators see and do: the locks of all instances, read from the coordination
 * service.
 */
@NullMarked
package io.interlock.admin;

import org.jspecify.annotations.NullMarked;
