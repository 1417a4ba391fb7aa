/** Auto-configuration of leader election. */
@NullMarked
package io.interlock.autoconfigure.leader;

import org.jspecify.annotations.NullMarked;
