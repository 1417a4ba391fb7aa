package io.interlock.autoconfigure.store;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches if locks come from a certain store: {@code interlock.provider} names it, or it
 * is the only store on the class path.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(StoreChoice.Chosen.class)
public @interface ConditionalOnStore {

	/** Return the name of the store that must be chosen. */
	String value();

}
