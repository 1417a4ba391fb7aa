package io.interlock.autoconfigure.curator;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;

/**
 * Copies the entries of an {@link SslBundle}, whatever type its stores have: the same
 * ones that its managers would use.
 */
final class TlsEntries {

	private TlsEntries() {
	}

	/**
	 * Copy the private keys.
	 * @param bundle the bundle
	 * @param password what protects the copies
	 * @return a store, or {@code null} if the bundle has no keys
	 */
	static @Nullable KeyStore keys(SslBundle bundle, char[] password) throws IOException, GeneralSecurityException {
		KeyStore source = bundle.getStores().getKeyStore();
		if (source == null) {
			return null;
		}
		SslBundleKey key = bundle.getKey();
		key.assertContainsAlias(source);
		String only = key.getAlias();
		String keyPassword = (key.getPassword() != null) ? key.getPassword() : bundle.getStores().getKeyStorePassword();
		KeyStore copy = empty();
		for (String alias : (only != null) ? List.of(only) : Collections.list(source.aliases())) {
			if (source.isKeyEntry(alias)) {
				copy.setKeyEntry(alias, source.getKey(alias, (keyPassword != null) ? keyPassword.toCharArray() : null),
						password, source.getCertificateChain(alias));
			}
		}
		return copy;
	}

	/**
	 * Copy the certificates to trust: entries for certificates, and those that belong to
	 * private keys.
	 * @param bundle the bundle
	 * @return a store, or {@code null} if the bundle trusts what Java trusts
	 */
	static @Nullable KeyStore certificates(SslBundle bundle) throws IOException, GeneralSecurityException {
		KeyStore source = bundle.getStores().getTrustStore();
		if (source == null) {
			return null;
		}
		KeyStore copy = empty();
		for (String alias : Collections.list(source.aliases())) {
			Certificate certificate = source.getCertificate(alias);
			if (certificate != null) {
				copy.setCertificateEntry(alias, certificate);
			}
		}
		return copy;
	}

	private static KeyStore empty() throws IOException, GeneralSecurityException {
		KeyStore store = KeyStore.getInstance(TlsStores.TYPE);
		store.load(null, null);
		return store;
	}

}
