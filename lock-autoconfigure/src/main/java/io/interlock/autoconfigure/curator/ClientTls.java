package io.interlock.autoconfigure.curator;

import java.util.Arrays;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.util.StringUtils;

/**
 * TLS of one client and nobody else: system properties for ZooKeeper, which are for all
 * clients and servers of this JVM, decide nothing that the {@link SslBundle} decides.
 */
final class ClientTls implements AutoCloseable {

	/**
	 * Only this socket knows TLS.
	 */
	static final String SOCKET = "org.apache.zookeeper.ClientCnxnSocketNetty";

	private final TlsStores stores;

	private final ZKClientConfig config;

	private ClientTls(TlsStores stores, ZKClientConfig config) {
		this.stores = stores;
		this.config = config;
	}

	static ClientTls of(SslBundle bundle) {
		TlsRequirements.check(ClientTls.class.getClassLoader());
		TlsStores stores = TlsStores.of(bundle);
		return new ClientTls(stores, config(stores, bundle.getOptions()));
	}

	private static ZKClientConfig config(TlsStores stores, SslOptions options) {
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
		config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, SOCKET);
		try (ClientX509Util x509 = new ClientX509Util()) {
			config.setProperty(x509.getSslKeystoreLocationProperty(), stores.keyStoreLocation());
			config.setProperty(x509.getSslKeystoreTypeProperty(), TlsStores.TYPE);
			config.setProperty(x509.getSslKeystorePasswdProperty(), stores.password());
			config.setProperty(x509.getSslKeystorePasswdPathProperty(), "");
			config.setProperty(x509.getSslTruststoreLocationProperty(), stores.trustStoreLocation());
			config.setProperty(x509.getSslTruststoreTypeProperty(), TlsStores.TYPE);
			config.setProperty(x509.getSslTruststorePasswdProperty(), stores.password());
			config.setProperty(x509.getSslTruststorePasswdPathProperty(), "");
			setList(config, x509.getSslEnabledProtocolsProperty(), options.getEnabledProtocols());
			setList(config, x509.getCipherSuitesProperty(), options.getCiphers());
		}
		return config;
	}

	private static void setList(ZKClientConfig config, String name, String @Nullable [] values) {
		if (values != null) {
			config.setProperty(name, StringUtils.collectionToCommaDelimitedString(Arrays.asList(values)));
		}
	}

	ZKClientConfig config() {
		return this.config;
	}

	void update(SslBundle bundle) {
		this.stores.update(bundle);
	}

	@Override
	public void close() {
		this.stores.close();
	}

}
