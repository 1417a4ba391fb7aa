package io.interlock.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Puts the locks of an application under the control of its test, with or without a
 * slice. They are kept in the memory of the application context, regardless of
 * {@code interlock.provider}, {@code interlock.enabled} and provider beans of the
 * application: no ZooKeeper client and no embedded server is started. The bean
 * {@link TestLocks} takes locks as another instance, causes outages and losses, and
 * records what was acquired.
 * <p>
 * {@link TestLocks} is reset before and after each test method, so that tests may share
 * an application context. Tests that run at the same time must use different keys.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureTestLocks {

}
