package io.interlock.redis;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.testsupport.time.MovedTime;

import org.springframework.aop.support.AopUtils;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.util.Assert;

/**
 * A Redis whose scripts see a clock that is ahead of that of the server by as much as a
 * test has moved the time. They get it as an argument more.
 */
final class MovedRedis {

	private static final String CLOCK = "tonumber(time[1]) * 1000000 + tonumber(time[2])";

	private final MovedTime time;

	private final Map<String, String> moved = new ConcurrentHashMap<>();

	MovedRedis(MovedTime time) {
		this.time = time;
	}

	RedisConnectionFactory of(RedisConnectionFactory connections) {
		return (RedisConnectionFactory) Proxy.newProxyInstance(MovedRedis.class.getClassLoader(),
				new Class<?>[] { RedisConnectionFactory.class }, (proxy, method, arguments) -> {
					Object answer = call(connections, method, arguments);
					return (answer instanceof RedisConnection connection) ? of(connection) : answer;
				});
	}

	private RedisConnection of(RedisConnection connection) {
		Class<?> type = (connection instanceof RedisClusterConnection) ? RedisClusterConnection.class
				: RedisConnection.class;
		return (RedisConnection) Proxy.newProxyInstance(MovedRedis.class.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> {
					if (method.getName().startsWith("eval")) {
						arguments[0] = (arguments[0] instanceof byte[] script) ? moved(script)
								: this.moved.getOrDefault(arguments[0], (String) arguments[0]);
						arguments[3] = withTime((byte[][]) arguments[3]);
					}
					return call(connection, method, arguments);
				});
	}

	/**
	 * Return a script that reads the moved clock. Its digest is sent from now on.
	 */
	private byte[] moved(byte[] script) {
		String text = new String(script, StandardCharsets.UTF_8);
		String changed = text.replace(CLOCK, CLOCK + " + tonumber(ARGV[#ARGV])");
		Assert.state(!changed.equals(text), "The script reads the clock in another way");
		this.moved.put(RedisScript.of(text).getSha1(), RedisScript.of(changed).getSha1());
		return changed.getBytes(StandardCharsets.UTF_8);
	}

	private byte[][] withTime(byte[][] keysAndArguments) {
		byte[][] all = Arrays.copyOf(keysAndArguments, keysAndArguments.length + 1);
		all[keysAndArguments.length] = Long.toString(this.time.moved().toNanos() / 1000)
			.getBytes(StandardCharsets.UTF_8);
		return all;
	}

	private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
		return AopUtils.invokeJoinpointUsingReflection(target, method, (arguments != null) ? arguments : new Object[0]);
	}

}
