package io.interlock.zookeeper.internal.node;

import org.jspecify.annotations.Nullable;

/**
 * Where an instance runs, as its lock nodes tell operators.
 *
 * @param application name of the application, if it has one
 * @param host host of the instance, if it is known
 * @param pid process id of the instance, if it is known
 * @since 0.1.0
 */
public record InstanceDetails(@Nullable String application, @Nullable String host, @Nullable Long pid) {

	/** No details. */
	public static final InstanceDetails NONE = new InstanceDetails(null, null, null);

}
