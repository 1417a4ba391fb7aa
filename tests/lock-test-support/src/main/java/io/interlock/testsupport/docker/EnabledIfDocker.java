package io.interlock.testsupport.docker;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test only when a Docker daemon answers and has an image, or can pull it within
 * 15 seconds. With the system property {@code interlock.docker=required} it is a failure
 * instead if there is none.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(EnabledIfDockerCondition.class)
public @interface EnabledIfDocker {

	/**
	 * {@return the image that the test runs, with its tag}
	 */
	String image();

}
