package io.interlock.autoconfigure.web;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.util.Assert;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.function.server.support.HandlerFunctionAdapter;
import org.springframework.web.server.ServerWebExchange;

/**
 * Auto-configuration for answers over HTTP, with Web MVC and with WebFlux. Its properties
 * are bound in each application, so that a name which does not exist fails each start.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@EnableConfigurationProperties(LockWebAutoConfiguration.WebProperties.class)
public final class LockWebAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication
	@ConditionalOnClass(RestControllerAdvice.class)
	@ConditionalOnBooleanProperty(prefix = "interlock", name = { "enabled", "web.enabled" }, matchIfMissing = true)
	static class AnswersConfiguration {

		@Bean
		LockExceptionAdvice interlockExceptionAdvice(WebProperties properties, MessageSource messages) {
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

	/** Logs which advice for all exceptions precedes {@link LockExceptionAdvice}. */
	static class HiddenAnswers implements SmartInitializingSingleton {

		private static final Log logger = LogFactory.getLog(HiddenAnswers.class);

		private final ApplicationContext context;

		HiddenAnswers(ApplicationContext context) {
			this.context = context;
		}

		@Override
		public void afterSingletonsInstantiated() {
			List<String> catchAlls = new ArrayList<>();
			for (ControllerAdviceBean advice : ControllerAdviceBean.findAnnotatedBeans(this.context)) {
				Class<?> type = advice.getBeanType();
				Assert.state(type != null, () -> "No type of " + advice);
				if (type == LockExceptionAdvice.class) {
					break;
				}
				if (catchesAll(type)) {
					catchAlls.add(type.getName());
				}
			}
			if (!catchAlls.isEmpty()) {
				logger.info(
						"Exceptions about locks are not answered by Interlock, because an advice of the application handles all exceptions: %s. To have them answered as problem details, set interlock.web.order to a lower value than the order of that advice. If the advice is meant to answer them, have it handle LockException, or set interlock.web.enabled=false."
							.formatted(String.join(", ", catchAlls)));
			}
		}

		private static boolean catchesAll(Class<?> advice) {
			ExceptionHandlerMethodResolver handlers = new ExceptionHandlerMethodResolver(advice);
			Method catchAll = handlers.resolveMethodByExceptionType(RuntimeException.class);
			return catchAll != null && LockExceptionAdvice.ANSWERED.stream()
				.anyMatch((type) -> catchAll.equals(handlers.resolveMethodByExceptionType(type)));
		}

	}

	/**
	 * Configuration properties for answers over HTTP.
	 *
	 * @param enabled Whether to answer exceptions about locks that the application does
	 * not handle with a problem detail.
	 * @param retryAfter Time after which clients may try again, sent in whole seconds
	 * unless a lock was lost. Zero sends none.
	 * @param order Order of these answers among the application's controller advice. Last
	 * by default.
	 * @since 0.1.0
	 */
	@ConfigurationProperties(prefix = "interlock.web", ignoreUnknownFields = false)
	record WebProperties(@DefaultValue("true") boolean enabled, @DefaultValue("1s") Duration retryAfter,
			@DefaultValue("" + Ordered.LOWEST_PRECEDENCE) int order) implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
			if (this.retryAfter.isNegative()) {
				throw new InvalidConfigurationPropertyValueException("interlock.web.retry-after", this.retryAfter,
						"It must not be negative.");
			}
		}

		long retryAfterSeconds() {
			return this.retryAfter.plusNanos(999_999_999).toSeconds();
		}

	}

}
