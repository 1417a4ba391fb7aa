/**
 * Locks in Redis.
 */
@NullMarked
package io.interlock.redis;

import org.jspecify.annotations.NullMarked;
