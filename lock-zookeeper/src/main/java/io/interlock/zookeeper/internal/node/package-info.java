/**
 * What the nodes of a lock in ZooKeeper are: their paths, their names, their order and
 * their data.
 */
@NullMarked
package io.interlock.zookeeper.internal.node;

import org.jspecify.annotations.NullMarked;
