package io.interlock.autoconfigure;

import java.util.function.Function;
import java.util.function.Supplier;

import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.autoconfigure.store.NamedProvider;
import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import io.interlock.lease.LeaseInspector;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseRevoker;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockRevoker;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * What operators see and do at each provider that has a name. The methods throw
 * {@link IllegalArgumentException} for a name that is not known.
 */
final class NamedOperators {

	private static final boolean ZOOKEEPER = ClassUtils.isPresent(
			"io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider", NamedOperators.class.getClassLoader());

	private final Supplier<QueueingLockProvider> queue;

	private final HeldLocks locks;

	private final Environment environment;

	NamedOperators(Supplier<QueueingLockProvider> queue, HeldLocks locks, Environment environment) {
		this.queue = queue;
		this.locks = locks;
		this.environment = environment;
	}

	/** Return what reads the locks of each provider, the default one for {@code null}. */
	Function<@Nullable String, @Nullable LockInspector> inspectors(Supplier<@Nullable LockInspector> byDefault) {
		return (name) -> (name != null) ? inspector(name) : byDefault.get();
	}

	/** Return what reads the locks of a provider, or {@code null} if nothing does. */
	@Nullable LockInspector inspector(String name) {
		LockProvider provider = this.queue.get().provider(name);
		if (provider instanceof LeaseLockProvider leases) {
			return new LeaseInspector(leases);
		}
		return ZOOKEEPER ? ZooKeeperOperators.inspector(provider, name, this.environment) : null;
	}

	/** Return what takes locks away; those of this instance, if the store finds none. */
	LockRevoker revoker(String name) {
		LockProvider provider = this.queue.get().provider(name);
		if (provider instanceof LeaseLockProvider leases) {
			return new LeaseRevoker(leases, this.locks::requestRevocation);
		}
		LockRevoker revoker = ZOOKEEPER ? ZooKeeperOperators.revoker(provider, name, this.environment) : null;
		return (revoker != null) ? revoker : new OwnLocks(this.locks);
	}

	/** Nested, because the module may be absent. */
	private static final class ZooKeeperOperators {

		static @Nullable LockInspector inspector(LockProvider provider, String name, Environment environment) {
			return (provider instanceof ZooKeeperLockProvider known) ? new ZooKeeperLockInspector(known.client(),
					known.rootPath(), properties(name, environment).operatorTimeout()) : null;
		}

		static @Nullable LockRevoker revoker(LockProvider provider, String name, Environment environment) {
			return (provider instanceof ZooKeeperLockProvider known) ? new ZooKeeperLockRevoker(known.client(),
					known.rootPath(), properties(name, environment).operatorTimeout()) : null;
		}

		private static ZooKeeperProperties properties(String name, Environment environment) {
			return Binder.get(environment)
				.bindOrCreate(NamedProvider.Definition.PREFIX + "." + name, ZooKeeperProperties.class);
		}

	}

}
