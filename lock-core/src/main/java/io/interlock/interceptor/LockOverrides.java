package io.interlock.interceptor;

import java.time.Duration;

import io.interlock.annotation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Overrides of lock annotations by lock name, from the configuration of the application.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockOverrides {

	/**
	 * Return the changes for a lock. Called on start-up, once for each annotated method.
	 * @param name name of the lock
	 * @return the changes, {@link Change#NONE} to keep the annotations
	 */
	Change forName(String name);

	/**
	 * Changes to all annotations with one lock name.
	 *
	 * @param onContention replaces the policy of the annotations, or {@code null} to keep
	 * it
	 * @param waitTime replaces the wait time of the annotations, or {@code null} to keep
	 * it; only for log lines on start-up, because the {@code LockTemplate} applies it
	 * @param enabled whether methods take the lock; {@code false} runs them without it
	 */
	record Change(@Nullable ContentionPolicy onContention, @Nullable Duration waitTime, boolean enabled) {

		/** Changes nothing. */
		public static final Change NONE = new Change(null, null, true);

	}

}
