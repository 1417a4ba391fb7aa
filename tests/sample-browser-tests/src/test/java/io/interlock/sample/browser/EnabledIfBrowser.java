package io.interlock.sample.browser;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test only when this machine has Chromium and a driver for it. With the system
 * property {@code interlock.browser=required} a missing one is a failure instead.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(EnabledIfBrowserCondition.class)
@interface EnabledIfBrowser {

}
