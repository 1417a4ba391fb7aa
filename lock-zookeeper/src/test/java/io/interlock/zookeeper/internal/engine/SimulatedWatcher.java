package io.interlock.zookeeper.internal.engine;

import java.util.function.Consumer;

import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * One interest in a node, as a client keeps it.
 *
 * @param contender the contender that asked for it
 * @param action what to tell of an event
 */
record SimulatedWatcher(int contender, Consumer<EventType> action) {
}
