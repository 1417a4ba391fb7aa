package io.interlock.sample.show.rush;

import java.time.Duration;

import io.interlock.sample.instance.Instance;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/**
 * Sends buyers to other instances.
 */
@Component
class OtherInstance {

	private static final Log logger = LogFactory.getLog(OtherInstance.class);

	private final RestClient client;

	OtherInstance() {
		SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
		requests.setConnectTimeout(Duration.ofSeconds(2));
		requests.setReadTimeout(Duration.ofMinutes(10));
		this.client = RestClient.builder().requestFactory(requests).build();
	}

	Share buy(Instance instance, long eventId, int buyers, @Nullable Duration payment) {
		try {
			Share share = this.client.post()
				.uri(instance.url() + "/demo/rush/share")
				.contentType(MediaType.APPLICATION_JSON)
				.body(RushRequest.of(eventId, buyers, payment))
				.retrieve()
				.body(Share.class);
			if (share != null) {
				return share;
			}
			logger.warn("Instance %s gave no answer".formatted(instance.name()));
		}
		catch (RestClientException ex) {
			logger.warn("Instance %s did not take part: %s".formatted(instance.name(), ex.getMessage()));
		}
		return new Share(instance.name(), instance.locking(), buyers, 0, 0, 0, buyers, 0, 0);
	}

}
