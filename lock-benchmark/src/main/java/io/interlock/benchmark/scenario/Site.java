package io.interlock.benchmark.scenario;

import java.nio.file.Path;

import io.interlock.benchmark.server.Server;

/**
 * Where and for how long scenarios are measured.
 *
 * @param server the server, the same for all
 * @param directory where files may be left
 * @param rounds how often each contestant is measured
 * @param seconds how long each time, the warm-up included
 * @param keys how many keys the scenario of many keys uses
 * @since 0.1.0
 */
public record Site(Server server, Path directory, int rounds, double seconds, long keys) {

}
