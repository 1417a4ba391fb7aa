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
 * slice. They are kept in the memory of the application context, whatever
 * {@code interlock.provider}, {@code interlock.enabled} or a provider bean of the
 * application say: no ZooKeeper client and no embedded server is started. The bean
 * {@link TestLocks} takes locks for another instance, provokes outages and losses, and
 * knows what was acquired.
 * <p>
 * {@link TestLocks} is reset before and after each test method, so that tests may share
 * an application context. Those that run at the same time use different keys.
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
