package io.interlock.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.interlock.curator.InstanceDetails;

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
		InstanceDetails details = details(environment);
		String application = (details.application() != null) ? details.application() : "application";
		return application + "@" + details.host() + ":" + new ApplicationPid();
	}

	static InstanceDetails details(Environment environment) {
		String name = environment.getProperty("spring.application.name");
		return new InstanceDetails(StringUtils.hasText(name) ? name : null, host(), new ApplicationPid().toLong());
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
