package io.interlock.sample.instance;

import java.time.Instant;

import io.interlock.sample.BoxOfficeProperties;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * The instance that this is. It has its name as soon as the web server has a port.
 *
 * @since 0.1.0
 */
@Component
public class ThisInstance {

	private static final Log logger = LogFactory.getLog(ThisInstance.class);

	private final boolean locking;

	private volatile Instance instance;

	ThisInstance(BoxOfficeProperties properties) {
		this.locking = properties.locking();
		this.instance = at(0);
	}

	private Instance at(int port) {
		return new Instance("localhost:" + port, "http://localhost:" + port, this.locking, Instant.now());
	}

	@EventListener
	void named(WebServerInitializedEvent event) {
		if (event.getApplicationContext().getServerNamespace() == null) {
			this.instance = at(event.getWebServer().getPort());
			logger.info("The box office is open: %s (locks %s)".formatted(this.instance.url(),
					this.locking ? "on" : "off"));
		}
	}

	/**
	 * Return the name of this instance.
	 * @return host and port
	 */
	public String name() {
		return this.instance.name();
	}

	Instance instance() {
		return this.instance;
	}

}
