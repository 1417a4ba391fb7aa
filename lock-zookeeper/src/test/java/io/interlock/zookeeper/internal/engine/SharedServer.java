package io.interlock.zookeeper.internal.engine;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests that break nothing one server for all of them. It stops with the last test.
 */
public final class SharedServer implements BeforeAllCallback, ParameterResolver {

	private static final Namespace NAMESPACE = Namespace.create(SharedServer.class);

	@Override
	public void beforeAll(ExtensionContext context) {
		server(context);
	}

	private static LocalServer server(ExtensionContext context) {
		return context.getRoot()
			.getStore(NAMESPACE)
			.computeIfAbsent(LocalServer.class, (key) -> start(), LocalServer.class);
	}

	private static LocalServer start() {
		try {
			return new LocalServer();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == LocalServer.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return server(context);
	}

}
