package io.interlock.autoconfigure.curator;

import java.util.List;

import javax.security.auth.login.Configuration;

import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.CollectionUtils;
import org.springframework.util.StringUtils;

/**
 * Whether a client has anything to authenticate itself with. ZooKeeper would let it
 * connect all the same, and refuse the first node whose ACL names its creator.
 */
final class ClientAuthentication {

	private ClientAuthentication() {
	}

	static void check(LockAcl acl, CuratorFrameworkFactory.Builder builder) {
		if (acl != LockAcl.OPEN && !isConfigured(builder.getAuthInfos(), builder.getZkClientConfig())) {
			throw new InvalidConfigurationPropertyValueException("interlock.zookeeper.acl", acl,
					"It needs a client that authenticates itself. Set interlock.zookeeper.username and "
							+ "interlock.zookeeper.password, or interlock.zookeeper.ssl.bundle with a key store, or add a "
							+ "'Client' section for SASL to the JAAS configuration.");
		}
	}

	private static boolean isConfigured(@Nullable List<AuthInfo> digest, @Nullable ZKClientConfig clientConfig) {
		ZKClientConfig config = (clientConfig != null) ? clientConfig : new ZKClientConfig();
		return !CollectionUtils.isEmpty(digest) || hasCertificate(config) || hasLogin(config);
	}

	private static boolean hasCertificate(ZKClientConfig config) {
		try (ClientX509Util x509 = new ClientX509Util()) {
			return config.getBoolean(ZKClientConfig.SECURE_CLIENT)
					&& StringUtils.hasText(config.getProperty(x509.getSslKeystoreLocationProperty()));
		}
	}

	private static boolean hasLogin(ZKClientConfig config) {
		String section = config.getProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY,
				ZKClientConfig.LOGIN_CONTEXT_NAME_KEY_DEFAULT);
		try {
			return config.isSaslClientEnabled()
					&& Configuration.getConfiguration().getAppConfigurationEntry(section) != null;
		}
		catch (SecurityException ex) {
			// There is no JAAS configuration, or none that can be read.
			return false;
		}
	}

}
