package io.interlock.interceptor;

import java.lang.reflect.Method;

import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Under which lock a method runs. Immutable and safe for use by many threads.
 *
 * @param method the method that runs, for messages and for its return type
 * @param request what every call asks for, apart from the key
 * @param key what narrows the lock in each call, or {@code null} for one lock for all
 * calls
 * @param keys what several locks of a call are narrowed to, instead of {@code key}, or
 * {@code null} for one lock
 * @param onContention what to do if others hold the lock for the whole wait time
 * @param enabled whether the lock is taken at all
 * @param fallback answers in place of the method if the lock is not acquired, or
 * {@code null} if the caller gets the exception
 * @since 0.1.0
 */
public record LockDefinition(Method method, LockRequest request, @Nullable LockKey key, @Nullable LockKeys keys,
		ContentionPolicy onContention, boolean enabled, @Nullable LockFallback fallback) {

}
