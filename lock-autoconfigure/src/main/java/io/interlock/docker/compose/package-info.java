/** Support for ZooKeeper services of Docker Compose as service connections. */
@NullMarked
package io.interlock.docker.compose;

import org.jspecify.annotations.NullMarked;
