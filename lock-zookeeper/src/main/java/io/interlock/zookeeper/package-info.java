/**
 * What users see of ZooKeeper: the session of this instance, the node of a lock, how
 * locks are written, and writes that happen only under a lock.
 */
@NullMarked
package io.interlock.zookeeper;

import org.jspecify.annotations.NullMarked;
