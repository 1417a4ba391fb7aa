package io.interlock.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The scripts of {@link RedisLeaseStore}. Each one runs in the server as a whole, without
 * another request in between.
 */
final class LeaseScripts {

	static final RedisScript<Long> ACQUIRE = RedisScript.of(text("acquire"), Long.class);

	@SuppressWarnings("rawtypes")
	static final RedisScript<List> RENEW = RedisScript.of(text("renew"), List.class);

	static final RedisScript<Long> KEEP = RedisScript.of(text("keep"), Long.class);

	static final RedisScript<Long> RELEASE = RedisScript.of(text("release"), Long.class);

	static final RedisScript<Long> HELD = RedisScript.of(text("held"), Long.class);

	@SuppressWarnings("rawtypes")
	static final RedisScript<List> VIEW = RedisScript.of(text("view"), List.class);

	static final RedisScript<Long> CHECK = RedisScript.of(text("check"), Long.class);

	private LeaseScripts() {
	}

	private static String text(String name) {
		return content("line") + content(name);
	}

	private static String content(String name) {
		try {
			return new ClassPathResource(name + ".lua", LeaseScripts.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
