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
 * Runs a method under a lock that holds across all instances of the application.
 *
 * <pre class="code">
 * &#064;DistributedLock(name = "stock", key = "#sku")
 * public void reserve(String sku, int quantity) { ... }
 * </pre>
 *
 * On a type it applies to every method that the type declares; the annotation of a method
 * replaces it. It is looked for on the target method, the target class, the method of an
 * interface, and the interface, in this order. May be used as a meta-annotation. Like all
 * proxy-based annotations it has no effect on calls of an object to itself; where in
 * doubt, {@code LockContext.current()} throws if no lock is held.
 * <p>
 * The lock is taken before a {@code @Transactional} transaction starts and released after
 * it has completed. Calls inside the method that ask for the same lock join the hold.
 *
 * @since 0.1.0
 * @see ReadLock
 * @see WriteLock
 * @see DistributedSemaphore
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface DistributedLock {

	/** Alias for {@link #name}. */
	@AliasFor("name")
	String value() default "";

	/**
	 * Name of the lock; required. A literal in which <code>${placeholders}</code> are
	 * resolved once, on startup. Renaming the method does not change it. It is a tag of
	 * the metrics, so what varies without bound belongs in the {@link #key}.
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * SpEL expression for the key that narrows the lock, evaluated once per call, before
	 * waiting. Sees the arguments by name ({@code #sku}) and index ({@code #p0},
	 * {@code #a0}), {@code #root.methodName}, {@code #root.target}, and beans
	 * ({@code @bean}). Empty means one lock for the name. A key that evaluates to
	 * {@code null} or blank is an error. A key of several parts is a list,
	 * <code>{#tenant, #sku}</code>. The types of keys are those of
	 * {@link io.interlock.LockRequest#withKey}; others are refused, on startup where the
	 * declared type of the parameter shows it.
	 */
	String key() default "";

	/**
	 * SpEL expressions for the keys of several locks, instead of {@link #key}. Each gives
	 * a key, or a collection or array of keys, in which a list is a key of several parts:
	 * <code>{"#from", "#to"}</code>, {@code "#order.items.![sku]"}. All are taken, or
	 * none: in one order that is the same in all instances, without duplicates, within
	 * one wait time. No keys at all, and more than {@code interlock.max-keys}, are an
	 * error.
	 */
	String[] keys() default {};

	/**
	 * How the lock is shared. For {@link LockMode#PERMIT} there is
	 * {@link DistributedSemaphore @DistributedSemaphore}, which knows the number.
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * How long to wait: {@code "5s"}, {@code "PT5S"}, {@code "500ms"} or a
	 * <code>${placeholder}</code>. {@code "0"} tries once without waiting for holders,
	 * {@code "forever"} waits without a limit. Empty means the property
	 * {@code interlock.default-wait-time}, or {@code "0"} with
	 * {@link ContentionPolicy#SKIP}; {@code interlock.locks.<name>.wait-time} overrides
	 * all of them.
	 */
	String waitTime() default "";

	/**
	 * What to do when another holder keeps the lock for the whole wait time;
	 * {@code interlock.locks.<name>.on-contention} overrides it.
	 */
	ContentionPolicy onContention() default ContentionPolicy.FAIL;

	/** What to do when the lock is lost while the method runs. */
	LossPolicy onLoss() default LossPolicy.FAIL;

	/**
	 * How long the lock is held at most in normal operation, written like
	 * {@link #waitTime} and more than zero. A longer hold is reported with the stack of
	 * its thread, and never released under a running method. Empty means no limit.
	 */
	String maxHold() default "";

	/**
	 * How long the lock stays taken at least after it was acquired, written like
	 * {@link #waitTime} and never {@code "forever"}. The caller of a method that ends
	 * earlier, or throws, does not wait: the lock is kept without a holder until the time
	 * is over, also if the instance stops or crashes meanwhile, as far as the lock
	 * service can do that. An operator can free it earlier. Empty means no longer than
	 * the method runs. {@code "period"} is the time of the {@code @Scheduled} on the
	 * method less a tenth; for {@code cron}, that from the call to the next firing.
	 */
	String minHold() default "";

	/**
	 * Name of a method of the same class that is called instead of throwing
	 * {@link io.interlock.LockNotAcquiredException} or
	 * {@link io.interlock.LockServiceUnavailableException}. It may be private, and has
	 * the same parameters, optionally followed by the exception: as {@code LockException}
	 * or a supertype to take both, or as one of the two to take only that. What it
	 * returns must fit the return type of the method. It is not called for anything that
	 * is thrown once the method has begun, and not together with
	 * {@link ContentionPolicy#SKIP}.
	 */
	String fallback() default "";

	/** When to release a lock that was acquired inside an open transaction. */
	ReleasePolicy release() default ReleasePolicy.AFTER_TRANSACTION;

}
