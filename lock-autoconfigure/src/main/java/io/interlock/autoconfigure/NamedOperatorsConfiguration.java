package io.interlock.autoconfigure;

import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.admin.StaleTokenException;
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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * What operators see and do at providers that have names.
 */
@Configuration(proxyBeanMethods = false)
class NamedOperatorsConfiguration {

	@Bean
	@ConditionalOnMissingBean
	NamedOperators interlockNamedOperators(
			@Qualifier("interlockQueueingLockProvider") ObjectProvider<QueueingLockProvider> queue, HeldLocks locks,
			Environment environment) {
		return new NamedOperators(queue::getObject, locks, environment);
	}

	/**
	 * What operators see and do at each provider that has a name. The methods throw
	 * {@link IllegalArgumentException} for a name that is not known.
	 */
	static final class NamedOperators {

		private static final boolean ZOOKEEPER = ClassUtils.isPresent(
				"io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider",
				NamedOperatorsConfiguration.class.getClassLoader());

		private final Supplier<QueueingLockProvider> queue;

		private final HeldLocks locks;

		private final Environment environment;

		NamedOperators(Supplier<QueueingLockProvider> queue, HeldLocks locks, Environment environment) {
			this.queue = queue;
			this.locks = locks;
			this.environment = environment;
		}

		/**
		 * Return what reads the locks of each provider, the default one for {@code null}.
		 */
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

		/**
		 * Return what takes locks away; those of this instance, if the store finds none.
		 */
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

	/** Takes away what this instance holds, where no store finds a lock by its token. */
	record OwnLocks(HeldLocks locks) implements LockRevoker {

		@Override
		public Target release(LockId id, long token) {
			if (this.locks.held()
				.stream()
				.noneMatch((lock) -> lock.keptUntil() != null && lock.id().equals(id)
						&& Objects.equals(lock.token(), token))) {
				throw new StaleTokenException(id, token);
			}
			Target freed = requestRevocation(id, token, null, new RevocationRequest("An operator", Instant.now()));
			return new Target(id, token, freed.path(), freed.owner(), freed.freed(), true);
		}

		@Override
		public Target requestRevocation(LockId id, long token, @Nullable Integer handoff, RevocationRequest request) {
			Predicate<LockHandle> meant = (held) -> held.id().equals(id) && held.fencingToken() == token
					&& (handoff == null || handoff == held.handoff());
			if (this.locks.requestRevocation(meant, request) == 0) {
				throw new StaleTokenException(id, token);
			}
			return new Target(id, token, id.toString(), null, !this.locks.holds(meant));
		}

	}

}
