package io.interlock.page;

import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockId;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.template.HeldLocks;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * An application with a server and Spring Security, whose lock {@code orders} is held
 * with token 7. Olga is an operator, Uwe is not.
 */
class OperatorsApplication {

	private final LockRevoker revoker = mock(LockRevoker.class);

	OperatorsApplication() {
		LockId orders = new LockId("orders", null);
		LockRevoker.Target target = new LockRevoker.Target(orders, 7, "/interlock/orders/_c_1", null, false);
		given(this.revoker.release(orders, 7)).willReturn(target);
		given(this.revoker.requestRevocation(eq(orders), eq(7L), any(), any())).willReturn(target);
	}

	LockRevoker revoker() {
		return this.revoker;
	}

	WebApplicationContextRunner runner() {
		return new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
			.withConfiguration(AutoConfigurations.of(TomcatServletWebServerAutoConfiguration.class,
					DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
					JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
					EndpointAutoConfiguration.class, WebEndpointAutoConfiguration.class,
					JacksonEndpointAutoConfiguration.class, ManagementContextAutoConfiguration.class,
					ServletManagementContextAutoConfiguration.class, SecurityAutoConfiguration.class,
					ServletWebSecurityAutoConfiguration.class, SecurityFilterAutoConfiguration.class,
					LocksEndpointAutoConfiguration.class))
			.withUserConfiguration(Users.class)
			.withBean(HeldLocks.class, HeldLocks::new)
			.withBean(LockInspector.class, () -> mock(LockInspector.class))
			.withBean(LockAdministrator.class, () -> new LockAdministrator(this.revoker, List.of()))
			.withPropertyValues("server.port=0", "management.endpoints.web.exposure.include=locks",
					"management.endpoint.locks.access=UNRESTRICTED");
	}

	static void withUrl(WebApplicationContextRunner runner, Consumer<String> test) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LocksEndpoint.class);
			int port = ((AnnotationConfigServletWebServerApplicationContext) context.getSourceApplicationContext())
				.getWebServer()
				.getPort();
			test.accept("http://localhost:" + port);
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Users {

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("olga").password("{noop}secret").roles("LOCK_OPERATOR").build(),
					User.withUsername("uwe").password("{noop}secret").roles("USER").build());
		}

	}

}
