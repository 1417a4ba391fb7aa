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
 * On a type it applies to every method that the type declares, unless the method has its
 * own. The first one found counts, on: target method, target class, interface method,
 * interface. May be a meta-annotation. Like all proxy-based annotations, it has no effect
 * on calls of an object to itself; {@code LockContext.current()} throws an exception
 * then.
 * <p>
 * The lock encloses a {@code @Transactional} transaction. Nested calls for the same lock
 * join the hold.
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
	 * Name of the lock; required. A literal with <code>${placeholders}</code>, which are
	 * resolved once, on startup. The name is a tag of metrics: values without bound
	 * belong in the {@link #key}.
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * SpEL expression for the key that narrows the lock, evaluated once per call, before
	 * waiting. Sees arguments by name ({@code #sku}) and index ({@code #p0},
	 * {@code #a0}), {@code #root.methodName}, {@code #root.target}, and beans
	 * ({@code @bean}). A key of several parts is a list, <code>{#tenant, #sku}</code>.
	 * Empty means one lock for the name. {@code null}, a blank text, and types that
	 * {@link io.interlock.LockRequest#withKey} refuses fail the call.
	 */
	String key() default "";

	/**
	 * SpEL expressions for the keys of several locks, instead of {@link #key}. Each gives
	 * a key, or a collection or array of keys, in which a list is a key of several parts:
	 * <code>{"#from", "#to"}</code>, {@code "#order.items.![sku]"}. A call takes all of
	 * them or none, without duplicates, in the same order in all instances, within one
	 * wait time. No keys, or more than {@code interlock.max-keys}, are an error.
	 */
	String[] keys() default {};

	/**
	 * Mode of the lock. For {@link LockMode#PERMIT}, use
	 * {@link DistributedSemaphore @DistributedSemaphore}, which has the number.
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * Time to wait: {@code "5s"}, {@code "PT5S"}, {@code "500ms"} or a
	 * <code>${placeholder}</code>. {@code "0"} tries once, {@code "forever"} has no
	 * limit. Empty means {@code interlock.default-wait-time}, or {@code "0"} with
	 * {@link ContentionPolicy#SKIP}. {@code interlock.locks.<name>.wait-time} overrides
	 * all of them.
	 */
	String waitTime() default "";

	/**
	 * What to do when others hold the lock for the whole wait time.
	 * {@code interlock.locks.<name>.on-contention} overrides it.
	 */
	ContentionPolicy onContention() default ContentionPolicy.FAIL;

	/** What to do when the lock is lost while the method runs. */
	LossPolicy onLoss() default LossPolicy.FAIL;

	/**
	 * Maximum time for a hold in normal operation, above zero, written like
	 * {@link #waitTime}. A longer hold is reported with the stack of its thread, but
	 * never released while the method runs. Empty means no limit.
	 */
	String maxHold() default "";

	/**
	 * Minimum time that the lock stays taken after its acquisition, written like
	 * {@link #waitTime}, but not {@code "forever"}. A method that ends or throws earlier
	 * returns at once. The lock stays taken without a holder until the time is over or an
	 * operator frees it, even if the instance stops or crashes once the store has
	 * answered. In memory, it ends with the instance. Empty means none. {@code "period"}
	 * is the period of the {@code @Scheduled} on the method less a tenth; with
	 * {@code cron}, the time from the call to the next firing.
	 */
	String minHold() default "";

	/**
	 * Name of a method of the same class to call instead of throwing
	 * {@link io.interlock.LockNotAcquiredException} or
	 * {@link io.interlock.LockServiceUnavailableException}. It may be private, must have
	 * the same parameters, and its result must fit the return type. An optional last
	 * parameter gets the exception; if it has the type of one of the two, only that one
	 * calls the fallback. Exceptions after the method has begun do not. Not with
	 * {@link ContentionPolicy#SKIP}.
	 */
	String fallback() default "";

	/** When to release a lock that was acquired inside an open transaction. */
	ReleasePolicy release() default ReleasePolicy.AFTER_TRANSACTION;

	/**
	 * Name of the provider that the lock comes from, in which
	 * <code>${placeholders}</code> are resolved. Empty means the default one.
	 */
	String provider() default "";

}
