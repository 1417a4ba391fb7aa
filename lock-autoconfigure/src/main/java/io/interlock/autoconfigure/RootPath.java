package io.interlock.autoconfigure;

import org.apache.zookeeper.common.PathUtils;
import org.jspecify.annotations.Nullable;

/**
 * Rules for {@code interlock.root-path}.
 */
final class RootPath {

	private static final String RESERVED = "/zookeeper";

	private RootPath() {
	}

	static @Nullable String reasonAgainst(String path) {
		if (!path.startsWith("/")) {
			return "It must be absolute: write '/%s'.".formatted(path);
		}
		if (path.equals("/")) {
			return "It must not be the root of ZooKeeper: choose a path such as '/interlock'.";
		}
		if (path.equals(RESERVED) || path.startsWith(RESERVED + "/")) {
			return "'%s' belongs to ZooKeeper itself: choose a path such as '/interlock'.".formatted(RESERVED);
		}
		try {
			PathUtils.validatePath(path);
			return null;
		}
		catch (IllegalArgumentException ex) {
			return "It is no path that ZooKeeper accepts: " + ex.getMessage() + ".";
		}
	}

}
