package io.interlock.testsupport.promise;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says which promise a test proves, and under which fault. The page
 * {@code guarantees-tests.md} of the site is generated from these annotations, as the
 * source files have them. It describes a test by the words of the name of its method.
 *
 * @since 0.1.0
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.SOURCE)
@Documented
@Repeatable(Proves.All.class)
public @interface Proves {

	/**
	 * The promise.
	 */
	Promise value();

	/**
	 * The fault that the test causes.
	 */
	Fault under() default Fault.NONE;

	/**
	 * What the name of the method does not say, in a few words.
	 */
	String note() default "";

	/**
	 * All promises that a test proves.
	 */
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.SOURCE)
	@Documented
	@interface All {

		Proves[] value();

	}

}
