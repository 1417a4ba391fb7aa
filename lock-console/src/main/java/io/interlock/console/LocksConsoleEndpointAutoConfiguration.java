package io.interlock.console;

import java.util.ArrayList;
import java.util.List;

import io.interlock.admin.LockAdministrator;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.autoconfigure.store.LockStores;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for the endpoint {@code locksconsole}, a page to look at locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LocksEndpointAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnAvailableEndpoint(LocksConsoleEndpoint.class)
@ImportRuntimeHints(ConsoleFiles.Hints.class)
public final class LocksConsoleEndpointAutoConfiguration {

	private static final EndpointId LOCKS = EndpointId.of("locks");

	private static final List<String> HEALTH_PARTS = List.of("interlock", "interlockProviders", "zookeeper");

	@Bean
	@ConditionalOnMissingBean
	LocksConsoleEndpoint interlockLocksConsoleEndpoint(ObjectProvider<PathMappedEndpoints> endpoints,
			ObjectProvider<LockAdministrator> administrator, ObjectProvider<EndpointAccessResolver> access,
			Environment environment, BeanFactory beans) {
		return new LocksConsoleEndpoint(new ConsoleSurroundings(endpoints::getObject,
				() -> missing(administrator, access), LockStores.namedProviders(environment), healthParts(beans)));
	}

	private static List<String> healthParts(BeanFactory beans) {
		return HEALTH_PARTS.stream()
			.filter((part) -> beans.containsBean(part + "HealthContributor")
					|| beans.containsBean(part + "HealthIndicator"))
			.toList();
	}

	private static String missing(ObjectProvider<LockAdministrator> administrator,
			ObjectProvider<EndpointAccessResolver> access) {
		List<String> properties = new ArrayList<>();
		if (administrator.stream().findAny().isEmpty()) {
			properties.add("interlock.admin.enabled=true");
		}
		if (access.getObject().accessFor(LOCKS, Access.READ_ONLY) != Access.UNRESTRICTED) {
			properties.add("management.endpoint.locks.access=unrestricted");
		}
		return String.join(" and ", properties);
	}

}
