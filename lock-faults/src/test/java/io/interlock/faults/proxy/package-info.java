/**
 * TCP links that can be told to fail.
 */
@NullMarked
package io.interlock.faults.proxy;

import org.jspecify.annotations.NullMarked;
