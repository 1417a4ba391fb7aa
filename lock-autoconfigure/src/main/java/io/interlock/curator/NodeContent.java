package io.interlock.curator;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * What was read of one node.
 *
 * @param data its data
 * @param stat what the servers know about it
 */
record NodeContent(byte @Nullable [] data, Stat stat) {

}
