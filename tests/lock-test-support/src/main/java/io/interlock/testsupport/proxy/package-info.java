/**
 * TCP proxies that fail on demand, and one that reads what passes of ZooKeeper's
 * protocol.
 */
@NullMarked
package io.interlock.testsupport.proxy;

import org.jspecify.annotations.NullMarked;
