/**
 * JVMs that are started, talked to, paused and ended.
 */
@NullMarked
package io.interlock.testsupport.process;

import org.jspecify.annotations.NullMarked;
