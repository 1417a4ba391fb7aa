/**
 * Redis servers that are started, paused, killed and promoted.
 */
@NullMarked
package io.interlock.testsupport.redis;

import org.jspecify.annotations.NullMarked;
