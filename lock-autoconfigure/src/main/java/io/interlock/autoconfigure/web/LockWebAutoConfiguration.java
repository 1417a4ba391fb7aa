package io.interlock.autoconfigure.web;

import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.function.server.support.HandlerFunctionAdapter;
import org.springframework.web.server.ServerWebExchange;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for answers over HTTP, with Web MVC
 * and with WebFlux.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnBooleanProperty(prefix = "interlock", name = { "enabled", "web.enabled" }, matchIfMissing = true)
@EnableConfigurationProperties(InterlockWebProperties.class)
public final class LockWebAutoConfiguration {

	@Bean
	LockExceptionAdvice interlockExceptionAdvice(InterlockWebProperties properties, MessageSource messages) {
		return new LockExceptionAdvice(properties, messages, System::nanoTime);
	}

	@Bean
	HiddenAnswers interlockHiddenAnswers(ApplicationContext context) {
		return new HiddenAnswers(context);
	}

	/** Answers functional endpoints that throw like those that return an error. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	static class WebFluxConfiguration {

		@Bean
		HandlerAdapter interlockHandlerFunctionAdapter() {
			return new ThrowingHandlerFunctionAdapter();
		}

	}

	/** Precedes Spring's adapter, which still takes all but exceptions about locks. */
	private static final class ThrowingHandlerFunctionAdapter extends HandlerFunctionAdapter implements Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

		@Override
		public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
			try {
				return super.handle(exchange, handler);
			}
			catch (RuntimeException ex) {
				if (LockExceptionAdvice.isAboutLock(ex)) {
					return Mono.error(ex);
				}
				throw ex;
			}
		}

	}

}
