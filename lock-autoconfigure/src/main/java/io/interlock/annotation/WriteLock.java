package io.interlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.interlock.LockMode;
import io.interlock.LossPolicy;
import io.interlock.Release;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under an exclusive lock: one writer, and no reader beside it. Short for
 * {@link DistributedLock @DistributedLock} with mode {@link LockMode#EXCLUSIVE}, and the
 * same lock as any other annotation with the same name and key.
 *
 * @since 0.1.0
 * @see ReadLock
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@DistributedLock(mode = LockMode.EXCLUSIVE)
public @interface WriteLock {

	/**
	 * Alias for {@link #name}.
	 * @return the name of the lock
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String value() default "";

	/**
	 * Name of the lock; required. A literal in which <code>${placeholders}</code> are
	 * resolved once, on start-up. It is never derived from the method, so that renaming
	 * code cannot change a lock, and it is a tag of the metrics, so it must not vary
	 * without bound: what varies belongs into the {@link #key}.
	 * @return the name of the lock
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String name() default "";

	/**
	 * SpEL expression for the key that narrows the lock, evaluated once per call, before
	 * waiting. Sees the arguments by name ({@code #sku}) and index ({@code #p0},
	 * {@code #a0}), {@code #root.methodName}, {@code #root.target}, and beans
	 * ({@code @bean}). Empty means one lock for the name. A key that is {@code null} or
	 * blank is an error.
	 * @return the expression
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "key")
	String key() default "";

	/**
	 * How long to wait: {@code "5s"}, {@code "PT5S"}, {@code "500ms"} or a
	 * <code>${placeholder}</code>. {@code "0"} tries once without waiting for others,
	 * {@code "forever"} waits without a limit. Empty means the property
	 * {@code interlock.default-wait-time}; {@code interlock.locks.<name>.wait-time}
	 * overrides both.
	 * @return the time to wait
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "waitTime")
	String waitTime() default "";

	/**
	 * What to do when somebody else holds the lock for the whole wait time;
	 * {@code interlock.locks.<name>.on-contention} overrides it.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "onContention")
	ContentionPolicy onContention() default ContentionPolicy.FAIL;

	/**
	 * What to do when the lock is lost while the method runs.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "onLoss")
	LossPolicy onLoss() default LossPolicy.FAIL;

	/**
	 * How long the lock is held at the most in normal operation, written like
	 * {@link #waitTime} and more than zero. A hold that lasts longer is reported with the
	 * stack of its thread; it is never released under a running method. Empty means that
	 * nobody looks.
	 * @return the time after which a hold is reported
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "maxHold")
	String maxHold() default "";

	/**
	 * When to release a lock that was acquired inside an open transaction.
	 * @return the moment of release
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "release")
	Release release() default Release.AFTER_TRANSACTION;

}
