package io.interlock.autoconfigure.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.RestControllerAdvice;

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

}
