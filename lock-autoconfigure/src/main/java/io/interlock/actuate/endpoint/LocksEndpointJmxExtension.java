package io.interlock.actuate.endpoint;

import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;
import org.springframework.util.Assert;

/**
 * {@link EndpointJmxExtension @EndpointJmxExtension} of {@link LocksEndpoint}: the locks
 * of all instances.
 *
 * @since 0.1.0
 */
@EndpointJmxExtension(endpoint = LocksEndpoint.class)
public class LocksEndpointJmxExtension {

	private final LockInspector inspector;

	/**
	 * Create an extension.
	 * @param inspector who reads the locks
	 */
	public LocksEndpointJmxExtension(LockInspector inspector) {
		Assert.notNull(inspector, "'inspector' must not be null");
		this.inspector = inspector;
	}

	/**
	 * Return the locks of all instances.
	 * @param name name of the locks to show, or {@code null} for all
	 * @param key key of the one lock to show, or {@code null} for all of that name
	 * @param offset how many to leave out, or {@code null} for none
	 * @param limit how many to show, or {@code null} for 100
	 * @param queueLimit how many contenders of each to show, or {@code null} for 10, and
	 * 100 with a name
	 * @return the locks
	 * @throws LockInspectionException if they cannot be read
	 */
	@ReadOperation
	public ClusterLocksDescriptor clusterLocks(@Nullable String name, @Nullable String key, @Nullable Integer offset,
			@Nullable Integer limit, @Nullable Integer queueLimit) {
		return ClusterLocksDescriptor.of(this.inspector.locks(Parameters.query(name, key, offset, limit, queueLimit)));
	}

}
