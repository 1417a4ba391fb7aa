package io.interlock.benchmark.store;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The servers of all stores that are installed on this machine. For one thread.
 *
 * @since 0.1.0
 */
public final class Stores implements AutoCloseable {

	static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Map<Store, StoreServer> servers = new EnumMap<>(Store.class);

	private final List<String> missing = new ArrayList<>();

	private Stores() {
	}

	/**
	 * Start the servers, and wait until they serve.
	 * @param directory where their data go
	 * @return the servers
	 */
	public static Stores start(Path directory) {
		Stores stores = new Stores();
		try {
			for (Store store : Store.values()) {
				stores.start(store, directory);
			}
			return stores;
		}
		catch (RuntimeException ex) {
			stores.close();
			throw ex;
		}
	}

	private void start(Store store, Path directory) {
		if (store.isInstalled()) {
			this.servers.put(store, store.start(directory));
		}
		else {
			this.missing.add(store.title());
		}
	}

	/**
	 * Return whether a store is there.
	 * @param store the store
	 * @return {@code false} if it is not installed
	 */
	public boolean has(Store store) {
		return this.servers.containsKey(store);
	}

	/**
	 * Return the server of a store.
	 * @param store the store
	 * @return its server, or its servers
	 * @throws IllegalStateException if it is not installed
	 */
	public StoreServer server(Store store) {
		StoreServer server = this.servers.get(store);
		if (server == null) {
			throw new IllegalStateException(store.title() + " is not installed");
		}
		return server;
	}

	/**
	 * Return what is there, and what is left out.
	 * @return a paragraph for the report
	 */
	public String describe() {
		String there = this.servers.values()
			.stream()
			.map(StoreServer::describe)
			.collect(Collectors.joining("; ", "Stores: ", "."));
		return this.missing.isEmpty() ? there
				: there + " Left out, because it is not installed: " + String.join(", ", this.missing) + ".";
	}

	@Override
	public void close() {
		this.servers.values().forEach(StoreServer::close);
	}

}
