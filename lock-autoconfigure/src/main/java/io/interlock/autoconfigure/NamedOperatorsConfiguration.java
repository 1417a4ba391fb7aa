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
import io.interlock.autoconfigure.store.LockStoreFactory;
import io.interlock.autoconfigure.store.LockStores;
import io.interlock.lease.LeaseInspector;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseRevoker;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What operators see and do at providers that have names.
 */
@Configuration(proxyBeanMethods = false)
class NamedOperatorsConfiguration {

	@Bean
	@ConditionalOnMissingBean
	NamedOperators interlockNamedOperators(
			@Qualifier("interlockQueueingLockProvider") ObjectProvider<QueueingLockProvider> queue, HeldLocks locks,
			ApplicationContext context) {
		return new NamedOperators(queue::getObject, locks, context);
	}

	/**
	 * What operators see and do at each provider that has a name. The methods throw
	 * {@link IllegalArgumentException} for a name that is not known.
	 */
	static final class NamedOperators {

		private final Supplier<QueueingLockProvider> queue;

		private final HeldLocks locks;

		private final ApplicationContext context;

		NamedOperators(Supplier<QueueingLockProvider> queue, HeldLocks locks, ApplicationContext context) {
			this.queue = queue;
			this.locks = locks;
			this.context = context;
		}

		/**
		 * Return what reads the locks of each provider, the default one for {@code null}.
		 */
		Function<@Nullable String, @Nullable LockInspector> inspectors(Supplier<@Nullable LockInspector> byDefault) {
			return (name) -> (name != null) ? inspector(name) : byDefault.get();
		}

		/**
		 * Return what reads the locks of a provider, of the default one for {@code null}.
		 * @return the inspector, or {@code null} if nothing reads them
		 */
		@Nullable LockInspector inspector(@Nullable String name) {
			LockProvider provider = this.queue.get().provider(name);
			return (provider instanceof LeaseLockProvider leases) ? new LeaseInspector(leases)
					: first((store) -> inspector(store, provider, name));
		}

		private <P> @Nullable LockInspector inspector(LockStoreFactory<P> store, LockProvider provider,
				@Nullable String name) {
			return store.inspector(provider, () -> properties(store, name));
		}

		/**
		 * Return what takes locks away; those of this instance, if the store finds none.
		 */
		LockRevoker revoker(String name) {
			LockProvider provider = this.queue.get().provider(name);
			if (provider instanceof LeaseLockProvider leases) {
				return new LeaseRevoker(leases, this.locks::requestRevocation);
			}
			LockRevoker revoker = first((store) -> revoker(store, provider, name));
			return (revoker != null) ? revoker : new OwnLocks(this.locks);
		}

		private <P> @Nullable LockRevoker revoker(LockStoreFactory<P> store, LockProvider provider, String name) {
			return store.revoker(provider, () -> properties(store, name));
		}

		private <P> P properties(LockStoreFactory<P> store, @Nullable String name) {
			String prefix = (name != null) ? LockStores.NAMED + "." + name : StoreProperties.prefixOf(store);
			return Binder.get(this.context.getEnvironment()).bindOrCreate(prefix, store.properties());
		}

		private <T> @Nullable T first(Function<LockStoreFactory<?>, @Nullable T> part) {
			for (LockStoreFactory<?> store : LockStores.of(this.context.getClassLoader()).present()) {
				T found = part.apply(store);
				if (found != null) {
					return found;
				}
			}
			return null;
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
