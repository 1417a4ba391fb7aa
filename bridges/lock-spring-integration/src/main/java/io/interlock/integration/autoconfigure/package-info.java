/**
 * Auto-configuration for the lock registry of Spring Integration.
 */
@NullMarked
package io.interlock.integration.autoconfigure;

import org.jspecify.annotations.NullMarked;
