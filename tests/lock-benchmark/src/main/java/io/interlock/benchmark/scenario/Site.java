package io.interlock.benchmark.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.store.Store;
import io.interlock.benchmark.store.StoreServer;
import io.interlock.benchmark.store.Stores;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Server;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Where and for how long scenarios are measured.
 *
 * @param server the standalone server, the same for all
 * @param connectStrings where clients connect, the first one first; the standalone server
 * unless a scenario has servers of its own
 * @param stores the servers of all stores, if the scenario compares stores
 * @param lines the longer lines to all servers, if the scenario has them
 * @param directory where files may be left
 * @param rounds how often each contestant is measured
 * @param seconds how long each time, the warm-up included
 * @param limit how many keys, waiters or locks there are at the most, if it is said
 * @since 0.1.0
 */
public record Site(Server server, List<String> connectStrings, @Nullable Stores stores, @Nullable Lines lines,
		Path directory, int rounds, double seconds, OptionalLong limit) {

	/**
	 * Create a site on which all clients connect to the standalone server.
	 * @param server the server
	 * @param directory where files may be left
	 * @param rounds how often each contestant is measured
	 * @param seconds how long each time, the warm-up included
	 * @param limit how many keys, waiters or locks there are at the most, if it is said
	 */
	public Site(Server server, Path directory, int rounds, double seconds, OptionalLong limit) {
		this(server, List.of(server.connectString()), null, null, directory, rounds, seconds, limit);
	}

	/**
	 * Return how many keys, waiters or locks there are at the most.
	 * @param usual how many, unless it is said
	 * @return how many
	 */
	long limit(long usual) {
		return this.limit.orElse(usual);
	}

	/**
	 * Return the same site with other servers.
	 * @param connectStrings where clients connect
	 * @return the site
	 */
	Site on(List<String> connectStrings) {
		return new Site(this.server, connectStrings, this.stores, this.lines, this.directory, this.rounds, this.seconds,
				this.limit);
	}

	/**
	 * Return the same site with servers of stores.
	 * @param stores the servers
	 * @return the site
	 */
	Site with(Stores stores) {
		return new Site(this.server, this.connectStrings, stores, this.lines, this.directory, this.rounds, this.seconds,
				this.limit);
	}

	/**
	 * Return the same site with longer lines to its servers.
	 * @param lines the lines
	 * @return the site
	 */
	Site over(Lines lines) {
		return new Site(this.server, this.connectStrings, this.stores, lines, this.directory, this.rounds, this.seconds,
				this.limit);
	}

	/**
	 * Return whether the servers are further away than this machine.
	 * @return whether there are longer lines
	 */
	boolean isFar() {
		return this.lines != null;
	}

	/**
	 * Return whether a contestant can be measured here.
	 * @param contestant the contestant
	 * @return {@code false} if its store is not installed
	 */
	boolean has(Contestant contestant) {
		Store store = contestant.store();
		return store == null || ((this.stores != null) ? this.stores.has(store) : store.isInstalled());
	}

	/**
	 * Return where a client of a contestant connects.
	 * @param contestant the contestant
	 * @param number number of the client, from 1 on
	 * @return the address
	 */
	String address(Contestant contestant, int number) {
		String address = (contestant.store() == null) ? connectString(number) : server(contestant).address(number);
		return (this.lines != null) ? this.lines.to(address) : address;
	}

	/**
	 * Return the server of a contestant.
	 * @param contestant the contestant
	 * @return its server, or its servers
	 */
	StoreServer server(Contestant contestant) {
		if (contestant.store() == null) {
			return StoreServer.of(this.server);
		}
		Assert.state(this.stores != null, "The site has no servers of stores");
		return this.stores.server(contestant.store());
	}

	/**
	 * Return where a client connects.
	 * @param number number of the client, from 1 on
	 * @return host and port of one server
	 */
	String connectString(int number) {
		return this.connectStrings.get((number - 1) % this.connectStrings.size());
	}

	/**
	 * Make a longer line to the standalone server.
	 * @param roundTrip how much longer a round trip takes, half of it in each direction
	 * @return the line
	 */
	TcpProxy line(Duration roundTrip) {
		TcpProxy line = TcpProxy.to(this.server.clientPort());
		line.delay(roundTrip.dividedBy(2));
		return line;
	}

}
