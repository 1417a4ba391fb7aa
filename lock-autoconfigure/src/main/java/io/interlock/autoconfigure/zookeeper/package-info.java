/** Auto-configuration of the connection to ZooKeeper and of the embedded server. */
@NullMarked
package io.interlock.autoconfigure.zookeeper;

import org.jspecify.annotations.NullMarked;
