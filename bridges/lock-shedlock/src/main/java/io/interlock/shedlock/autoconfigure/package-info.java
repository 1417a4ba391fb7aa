/**
 * Auto-configuration for the lock provider of ShedLock.
 */
@NullMarked
package io.interlock.shedlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
