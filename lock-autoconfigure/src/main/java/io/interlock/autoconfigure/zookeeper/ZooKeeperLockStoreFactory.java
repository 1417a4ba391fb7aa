package io.interlock.autoconfigure.zookeeper;

import java.util.function.Supplier;

import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.LockStoreFactory;
import io.interlock.provider.LockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.zookeeper.internal.client.OwnClient;
import io.interlock.zookeeper.internal.client.StartupCheck;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.operator.RevocationBoard;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockRevoker;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/** Makes providers with a ZooKeeper client of their own. */
class ZooKeeperLockStoreFactory implements LockStoreFactory<ZooKeeperProperties> {

	@Override
	public String name() {
		return "zookeeper";
	}

	@Override
	public Class<ZooKeeperProperties> properties() {
		return ZooKeeperProperties.class;
	}

	@Override
	public boolean isPresent(@Nullable ClassLoader classLoader) {
		return ClassUtils.isPresent("io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider", classLoader)
				&& ClassUtils.isPresent("org.apache.curator.framework.CuratorFramework", classLoader);
	}

	@Override
	public boolean isAutoConfigured() {
		return true;
	}

	@Override
	public LockProvider create(ZooKeeperProperties properties, Definition definition) {
		if (!definition.isSet("connect-string")) {
			throw definition.invalid("connect-string", null,
					"It must name the servers of this provider: write 'host:port'.");
		}
		properties.afterPropertiesSet();
		ApplicationContext context = definition.context();
		InterlockProperties common = context.getBean(InterlockProperties.class);
		OwnClient client = properties.startClient(context.getBeanProvider(SslBundles.class).getIfAvailable());
		definition.owned().accept(client);
		StartupCheck check = new StartupCheck(client.framework(), client, definition.name(),
				LockPaths.rootOf(properties.rootPath(), common.namespace()), properties.username(), properties.acl(),
				common.startupTimeout());
		definition.owned().accept(check::destroy);
		check.afterPropertiesSet();
		if (context.getEnvironment().getProperty("interlock.admin.enabled", boolean.class, false)) {
			HeldLocks held = context.getBean(HeldLocks.class);
			RevocationBoard board = new RevocationBoard(client.framework(),
					LockPaths.rootOf(properties.rootPath(), common.namespace()), definition.name(), held::holds,
					held::requestRevocation);
			definition.owned().accept(board);
			board.start();
		}
		return new ZooKeeperLockProvider(client.framework(),
				ZooKeeperLockAutoConfiguration.lockSettings(common, properties, context.getEnvironment()),
				client.aclProvider(), client.startedAt());
	}

	@Override
	public @Nullable LockInspector inspector(LockProvider provider, Supplier<ZooKeeperProperties> properties) {
		return (provider instanceof ZooKeeperLockProvider known)
				? new ZooKeeperLockInspector(known.client(), known.rootPath(), properties.get().operatorTimeout())
				: null;
	}

	@Override
	public @Nullable LockRevoker revoker(LockProvider provider, Supplier<ZooKeeperProperties> properties) {
		return (provider instanceof ZooKeeperLockProvider known)
				? new ZooKeeperLockRevoker(known.client(), known.rootPath(), properties.get().operatorTimeout()) : null;
	}

}
