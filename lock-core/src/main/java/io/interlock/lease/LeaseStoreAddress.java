package io.interlock.lease;

import org.springframework.util.Assert;

/**
 * Where a {@link LeaseStore} keeps its locks, in the words of operators. Immutable.
 *
 * @param store the store, such as {@code Redis}
 * @param address where it is, without credentials
 * @param keptIn what of it the locks use, such as its tables
 * @param properties the properties to correct if the address is wrong
 * @since 0.1.0
 */
public record LeaseStoreAddress(String store, String address, String keptIn, String properties) {

	public LeaseStoreAddress {
		Assert.hasText(store, "'store' must not be empty");
		Assert.hasText(address, "'address' must not be empty");
		Assert.hasText(keptIn, "'keptIn' must not be empty");
		Assert.hasText(properties, "'properties' must not be empty");
	}

	/** Return the store and its address alone, for use in a sentence. */
	public String location() {
		return "%s at '%s'".formatted(this.store, this.address);
	}

	@Override
	public String toString() {
		return "%s (%s)".formatted(location(), this.keptIn);
	}

}
