/**
 * Which instances of the box office there are.
 */
@NullMarked
package io.interlock.sample.instance;

import org.jspecify.annotations.NullMarked;
