/**
 * The ZooKeeper client of the library: its set-up, its check on startup and the embedded
 * server.
 */
@NullMarked
package io.interlock.zookeeper.internal.client;

import org.jspecify.annotations.NullMarked;
