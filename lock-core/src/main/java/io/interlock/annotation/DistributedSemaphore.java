package io.interlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.interlock.LockMode;
import io.interlock.LossPolicy;
import io.interlock.ReleasePolicy;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method with a permit of a semaphore, which limits the concurrent calls over all
 * instances of the application.
 *
 * <pre class="code">
 * &#064;DistributedSemaphore(name = "tax-office", permits = "3")
 * public Receipt file(Declaration declaration) { ... }
 * </pre>
 *
 * Otherwise a {@link DistributedLock @DistributedLock} with mode {@link LockMode#PERMIT}.
 * Nested calls for the same semaphore join the permit.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@DistributedLock(mode = LockMode.PERMIT)
public @interface DistributedSemaphore {

	/** Same as {@link DistributedLock#name()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String value() default "";

	/** Same as {@link DistributedLock#name()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String name() default "";

	/** Same as {@link DistributedLock#key()}; each key has permits of its own. */
	@AliasFor(annotation = DistributedLock.class, attribute = "key")
	String key() default "";

	/** Same as {@link DistributedLock#keys()}; a call takes a permit of each key. */
	@AliasFor(annotation = DistributedLock.class, attribute = "keys")
	String[] keys() default {};

	/**
	 * Maximum number of concurrent calls, above zero, or a <code>${placeholder}</code>
	 * for it; required. While instances disagree, the smallest number counts, with a
	 * warning.
	 */
	String permits();

	/** Same as {@link DistributedLock#waitTime()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "waitTime")
	String waitTime() default "";

	/** Same as {@link DistributedLock#onContention()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "onContention")
	ContentionPolicy onContention() default ContentionPolicy.FAIL;

	/** Same as {@link DistributedLock#onLoss()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "onLoss")
	LossPolicy onLoss() default LossPolicy.FAIL;

	/** Same as {@link DistributedLock#maxHold()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "maxHold")
	String maxHold() default "";

	/** Same as {@link DistributedLock#minHold()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "minHold")
	String minHold() default "";

	/** Same as {@link DistributedLock#fallback()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "fallback")
	String fallback() default "";

	/** Same as {@link DistributedLock#release()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "release")
	ReleasePolicy release() default ReleasePolicy.AFTER_TRANSACTION;

	/** Same as {@link DistributedLock#provider()}. */
	@AliasFor(annotation = DistributedLock.class, attribute = "provider")
	String provider() default "";

}
