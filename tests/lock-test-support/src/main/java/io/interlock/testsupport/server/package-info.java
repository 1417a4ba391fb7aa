/**
 * ZooKeeper servers, alone and as an ensemble, and questions to them.
 */
@NullMarked
package io.interlock.testsupport.server;

import org.jspecify.annotations.NullMarked;
