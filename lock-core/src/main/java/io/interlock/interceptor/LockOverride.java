package io.interlock.interceptor;

import java.time.Duration;

import io.interlock.annotation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What the operator of an application changes about every annotation with one lock name.
 *
 * @param onContention replaces the policy of the annotations, or {@code null} to keep it
 * @param waitTime replaces the wait time of the annotations, or {@code null} to keep it;
 * the {@code LockTemplate} applies it, so it counts here for what is said on start-up
 * @param enabled whether the lock is taken; {@code false} runs the methods without it
 * @since 0.1.0
 */
public record LockOverride(@Nullable ContentionPolicy onContention, @Nullable Duration waitTime, boolean enabled) {

	/** Changes nothing. */
	public static final LockOverride NONE = new LockOverride(null, null, true);

}
