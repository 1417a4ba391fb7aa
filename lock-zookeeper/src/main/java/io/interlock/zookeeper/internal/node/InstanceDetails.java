package io.interlock.zookeeper.internal.node;

import org.jspecify.annotations.Nullable;

/**
 * Where an instance runs, for its lock nodes.
 *
 * @since 0.1.0
 */
public record InstanceDetails(@Nullable String application, @Nullable String host, @Nullable Long pid) {

	/** No details. */
	public static final InstanceDetails NONE = new InstanceDetails(null, null, null);

}
