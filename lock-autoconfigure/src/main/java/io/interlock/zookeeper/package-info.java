/**
 * What users see of ZooKeeper: the session of this instance, and how locks are written.
 */
@NullMarked
package io.interlock.zookeeper;

import org.jspecify.annotations.NullMarked;
