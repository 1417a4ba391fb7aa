package io.interlock.lease;

import org.springframework.util.Assert;

/**
 * Where a {@link LeaseStore} keeps its locks, in the words of operators. Immutable.
 *
 * @param store the store, such as {@code Redis}
 * @param address where it is, without credentials
 * @param namespace what of it the locks use
 * @param properties the properties to correct if the address is wrong
 * @since 0.1.0
 */
public record LeaseStoreAddress(String store, String address, String namespace, String properties) {

	public LeaseStoreAddress {
		Assert.hasText(store, "'store' must not be empty");
		Assert.hasText(address, "'address' must not be empty");
		Assert.hasText(namespace, "'namespace' must not be empty");
		Assert.hasText(properties, "'properties' must not be empty");
	}

	/**
	 * Return the store and its address, without the namespace.
	 * @return for the middle of a sentence
	 */
	public String location() {
		return "%s at '%s'".formatted(this.store, this.address);
	}

	@Override
	public String toString() {
		return "%s (%s)".formatted(location(), this.namespace);
	}

}
