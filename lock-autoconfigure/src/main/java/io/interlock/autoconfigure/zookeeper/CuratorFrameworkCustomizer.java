package io.interlock.autoconfigure.zookeeper;

import org.apache.curator.framework.CuratorFrameworkFactory;

/**
 * Callback to customize the client before it is built. Implementations are called in
 * {@link org.springframework.core.annotation.Order order}, after everything that
 * properties configure.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CuratorFrameworkCustomizer {

	/** Customize the client that a builder is about to make. */
	void customize(CuratorFrameworkFactory.Builder builder);

}
