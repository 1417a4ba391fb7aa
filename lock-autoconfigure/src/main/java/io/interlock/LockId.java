package io.interlock;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Identity of a lock: a name and, where one name protects many things, a key. Two ids are
 * the same lock exactly when both parts are equal.
 *
 * @param name name of the lock, never blank
 * @param key what the name is narrowed to, or {@code null} for the one lock of that name;
 * never blank
 * @since 0.1.0
 */
public record LockId(String name, @Nullable String key) {

	public LockId {
		Assert.hasText(name, "'name' of a lock must not be empty");
		Assert.isTrue(key == null || !key.isBlank(),
				() -> "'key' of lock '%s' must not be blank".formatted(PrintableText.of(name)));
	}

	/**
	 * {@return the id as messages and logs show it: {@code orders[42]}, or {@code orders}
	 * without a key} Characters that could forge a line of a log are escaped.
	 */
	@Override
	public String toString() {
		return PrintableText.of((this.key != null) ? this.name + "[" + this.key + "]" : this.name);
	}

}
