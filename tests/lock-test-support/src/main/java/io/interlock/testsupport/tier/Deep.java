package io.interlock.testsupport.tier;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;

/**
 * Leaves a test to the deep tier, {@code mvn -Pdeep verify}, because it takes longer than
 * the fast tier can wait for it: real sessions that expire, thousands of nodes, other
 * processes. A promise that it proves has a test in the fast tier too.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Tag("deep")
public @interface Deep {

}
