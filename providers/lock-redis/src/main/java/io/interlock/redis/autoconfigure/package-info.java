/**
 * Auto-configuration for locks in Redis.
 */
@NullMarked
package io.interlock.redis.autoconfigure;

import org.jspecify.annotations.NullMarked;
