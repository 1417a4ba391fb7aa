/**
 * What a thread holds, in the context of its log lines.
 */
@NullMarked
package io.interlock.logging;

import org.jspecify.annotations.NullMarked;
