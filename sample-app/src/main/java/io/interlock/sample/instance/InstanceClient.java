package io.interlock.sample.instance;

import java.time.Duration;
import java.util.Optional;

import org.springframework.http.MediaType;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/**
 * Talks to other instances, briefly: one that is stopped must not stop the others.
 *
 * @since 0.1.0
 */
@Component
public class InstanceClient {

	private final RestClient asking = client(Duration.ofSeconds(1));

	private final RestClient telling = client(Duration.ofSeconds(10));

	private static RestClient client(Duration timeout) {
		SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
		requests.setConnectTimeout(Duration.ofSeconds(1));
		requests.setReadTimeout(timeout);
		return RestClient.builder().requestFactory(requests).build();
	}

	/**
	 * Ask another instance.
	 * @param instance the other instance
	 * @param path for what
	 * @param type type of the answer
	 * @param <T> type of the answer
	 * @return the answer, or empty if there is none
	 */
	public <T> Optional<T> get(Instance instance, String path, Class<T> type) {
		try {
			return Optional.ofNullable(this.asking.get().uri(instance.url() + path).retrieve().body(type));
		}
		catch (RestClientException ex) {
			return Optional.empty();
		}
	}

	/**
	 * Tell another instance to do something.
	 * @param instance the other instance
	 * @param path what
	 * @param body the details
	 * @throws RestClientException if it did not
	 */
	public void post(Instance instance, String path, Object body) {
		this.telling.post()
			.uri(instance.url() + path)
			.contentType(MediaType.APPLICATION_JSON)
			.body(body)
			.retrieve()
			.toBodilessEntity();
	}

}
