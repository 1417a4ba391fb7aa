package io.interlock.zookeeper.internal.client;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The files of a key store and a trust store, in a directory of their own. Invariants:
 * each file is complete at any time; both are replaced, or none. Files have Java's
 * permissions for temporary files: the owner's only, on POSIX file systems.
 */
final class StoreFiles {

	private final Path directory;

	private final char[] password;

	private final Path keyStore;

	private final Path trustStore;

	StoreFiles(Path directory, String password) {
		this.directory = directory;
		this.password = password.toCharArray();
		this.keyStore = directory.resolve("keystore.p12");
		this.trustStore = directory.resolve("truststore.p12");
	}

	/** Return the file of the key store; empty if there is none. */
	String keyStore() {
		return location(this.keyStore);
	}

	/** Return the file of the trust store; empty if there is none. */
	String trustStore() {
		return location(this.trustStore);
	}

	private static String location(Path file) {
		return Files.exists(file) ? file.toString() : "";
	}

	/** Replace or, for {@code null}, remove both stores, and return what was done. */
	List<String> replace(@Nullable KeyStore keys, @Nullable KeyStore trusted)
			throws IOException, GeneralSecurityException {
		List<Path> written = new ArrayList<>();
		try {
			Path newKeys = write(keys, written);
			Path newTrusted = write(trusted, written);
			List<String> done = List.of(change("key store", this.keyStore, newKeys),
					change("trust store", this.trustStore, newTrusted));
			put(newKeys, newTrusted, written);
			return done;
		}
		finally {
			for (Path file : written) {
				Files.deleteIfExists(file);
			}
		}
	}

	private @Nullable Path write(@Nullable KeyStore store, List<Path> written)
			throws IOException, GeneralSecurityException {
		if (store == null) {
			return null;
		}
		Path file = create(written);
		try (OutputStream output = Files.newOutputStream(file)) {
			store.store(output, this.password);
		}
		return file;
	}

	private Path create(List<Path> written) throws IOException {
		Path file = Files.createTempFile(this.directory, "new", null);
		written.add(file);
		return file;
	}

	private void put(@Nullable Path newKeys, @Nullable Path newTrusted, List<Path> written) throws IOException {
		Path oldKeys = null;
		if (Files.exists(this.keyStore)) {
			oldKeys = create(written);
			Files.copy(this.keyStore, oldKeys, StandardCopyOption.REPLACE_EXISTING);
		}
		put(newKeys, this.keyStore);
		try {
			put(newTrusted, this.trustStore);
		}
		catch (IOException ex) {
			put(oldKeys, this.keyStore);
			throw ex;
		}
	}

	private static void put(@Nullable Path source, Path target) throws IOException {
		if (source != null) {
			Files.move(source, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
		}
		else {
			Files.deleteIfExists(target);
		}
	}

	private static String change(String store, Path target, @Nullable Path source) {
		boolean present = Files.exists(target);
		if (source == null) {
			return present ? store + " removed" : "no " + store;
		}
		return present ? store + " replaced" : store + " added";
	}

}
