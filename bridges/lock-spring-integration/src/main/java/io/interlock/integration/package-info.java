/**
 * Locks of Interlock for the components of Spring Integration.
 */
@NullMarked
package io.interlock.integration;

import org.jspecify.annotations.NullMarked;
