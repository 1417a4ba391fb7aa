package io.interlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs a method only on the instance that leads an election. The instance joins the
 * election on startup; a call asks no server.
 *
 * <pre class="code">
 * &#064;Scheduled(fixedRate = 60_000)
 * &#064;LeaderOnly("billing")
 * public void sendInvoices() { ... }
 * </pre>
 *
 * On a class it applies to the methods that the class declares; the annotation of a
 * method replaces it. Leadership that ends while the method runs does not stop it: take
 * the token of a {@code Leadership} to fence what must not come late.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface LeaderOnly {

	/**
	 * Name of the election, in which <code>${placeholders}</code> are resolved.
	 * @return the name of the election
	 */
	String value();

	/**
	 * What to do while this instance does not lead. With {@link ContentionPolicy#SKIP}
	 * the method is not invoked, whatever the reason. With {@link ContentionPolicy#FAIL}
	 * an exception tells the reason: {@link io.interlock.LockNotAcquiredException} if
	 * another instance leads, {@link io.interlock.LockServiceUnavailableException} if
	 * that is not known.
	 * @return the policy
	 */
	ContentionPolicy onContention() default ContentionPolicy.SKIP;

}
