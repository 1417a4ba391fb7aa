package io.interlock.page.recipe;

import java.util.Map;

import io.interlock.page.recipe.PaymentListener.Payment;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/**
 * Listeners without a broker: a test hands records to them.
 */
@Configuration(proxyBeanMethods = false)
@EnableKafka
class KafkaConfiguration {

	@Bean
	ConcurrentKafkaListenerContainerFactory<String, Payment> kafkaListenerContainerFactory() {
		ConcurrentKafkaListenerContainerFactory<String, Payment> factory = new ConcurrentKafkaListenerContainerFactory<>();
		factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(Map.of("group.id", "shop")));
		factory.setAutoStartup(false);
		return factory;
	}

}
