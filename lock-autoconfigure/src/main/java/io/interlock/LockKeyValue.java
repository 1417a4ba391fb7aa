package io.interlock;

import org.springframework.util.Assert;

/**
 * The text of a lock key, as a converter makes it of an object: a bean of type
 * {@code Converter<Order, LockKeyValue>} says which text is the key of an order wherever
 * the key of an annotated method is one. {@link LockRequest#withKey} knows no beans; it
 * takes what such a converter returns.
 *
 * @param value the text; the same for the same thing in every JVM, and never blank
 * @since 0.1.0
 */
public record LockKeyValue(String value) {

	public LockKeyValue {
		Assert.hasText(value, "'value' of a lock key must not be blank");
	}

	@Override
	public String toString() {
		return this.value;
	}

}
