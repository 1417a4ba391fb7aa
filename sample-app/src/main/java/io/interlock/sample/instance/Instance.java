package io.interlock.sample.instance;

import java.time.Instant;

/**
 * An instance of the box office.
 *
 * @param name its name, host and port
 * @param url where it is
 * @param locking whether its annotated methods take their locks
 * @param started when it was started
 * @since 0.1.0
 */
public record Instance(String name, String url, boolean locking, Instant started) {

}
