package io.interlock.interceptor;

import io.interlock.annotation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What the operator of an application changes about every annotation with one lock name.
 *
 * @param onContention replaces the policy of the annotations, or {@code null} to keep it
 * @param enabled whether the lock is taken; {@code false} runs the methods without it
 * @since 0.1.0
 */
public record LockOverride(@Nullable ContentionPolicy onContention, boolean enabled) {

	/** Changes nothing. */
	public static final LockOverride NONE = new LockOverride(null, true);

}
