package io.interlock.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.springframework.boot.system.ApplicationPid;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * What an instance is called when nothing is configured: {@code application@host:pid}.
 */
final class InstanceId {

	private InstanceId() {
	}

	static String of(Environment environment) {
		String name = environment.getProperty("spring.application.name");
		String application = StringUtils.hasText(name) ? name : "application";
		return application + "@" + host() + ":" + new ApplicationPid();
	}

	private static String host() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost";
		}
	}

}
