package io.interlock.actuate.endpoint;

import io.interlock.admin.LockInspector;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;
import org.springframework.util.Assert;

/**
 * {@link EndpointJmxExtension @EndpointJmxExtension} of {@link LocksEndpoint}: the locks
 * of all clients.
 *
 * @since 0.1.0
 */
@EndpointJmxExtension(endpoint = LocksEndpoint.class)
public class LocksEndpointJmxExtension {

	private final LockInspector inspector;

	/**
	 * Create an extension.
	 * @param inspector reads the locks
	 */
	public LocksEndpointJmxExtension(LockInspector inspector) {
		Assert.notNull(inspector, "'inspector' must not be null");
		this.inspector = inspector;
	}

	/**
	 * Return the locks of all clients, with the parameters of
	 * {@link LocksEndpointWebExtension#locks}.
	 */
	@ReadOperation
	public ClusterLocksDescriptor clusterLocks(@Nullable String name, @Nullable String key, @Nullable Boolean busy,
			@Nullable Integer offset, @Nullable Integer limit, @Nullable Integer queueLimit) {
		return ClusterLocksDescriptor.read(this.inspector, name, key, busy, offset, limit, queueLimit);
	}

}
