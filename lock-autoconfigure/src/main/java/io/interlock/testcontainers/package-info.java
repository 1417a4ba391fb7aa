/** Support for ZooKeeper containers of Testcontainers as service connections. */
@NullMarked
package io.interlock.testcontainers;

import org.jspecify.annotations.NullMarked;
