package io.interlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs a method only on the instance that leads an election. The instance joins the
 * election on startup; a call sends no request.
 *
 * <pre class="code">
 * &#064;Scheduled(fixedRate = 60_000)
 * &#064;LeaderOnly("billing")
 * public void sendInvoices() { ... }
 * </pre>
 *
 * On a class it applies to the methods that the class declares, unless the method has its
 * own. The end of leadership does not stop a running method: fence late writes with the
 * token of a {@code Leadership}.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface LeaderOnly {

	/** Name of the election, in which <code>${placeholders}</code> are resolved. */
	String value();

	/**
	 * Name of the provider that the lock of the election comes from, in which
	 * <code>${placeholders}</code> are resolved. The default one if it is empty.
	 */
	String provider() default "";

	/**
	 * What to do while this instance does not lead. {@link ContentionPolicy#FAIL} throws
	 * {@link io.interlock.LockNotAcquiredException} if another instance leads, and
	 * {@link io.interlock.LockServiceUnavailableException} if that is not known.
	 */
	ContentionPolicy onContention() default ContentionPolicy.SKIP;

}
