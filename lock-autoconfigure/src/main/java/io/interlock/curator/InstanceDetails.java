package io.interlock.curator;

import org.jspecify.annotations.Nullable;

/**
 * Where an instance runs, for people who look at its lock nodes.
 *
 * @param application name of the application, if it has one
 * @param host host that the instance runs on, if it is known
 * @param pid process id of the instance, if it is known
 * @since 0.1.0
 */
public record InstanceDetails(@Nullable String application, @Nullable String host, @Nullable Long pid) {

	/**
	 * Details of an instance that tells none.
	 */
	public static final InstanceDetails NONE = new InstanceDetails(null, null, null);

}
