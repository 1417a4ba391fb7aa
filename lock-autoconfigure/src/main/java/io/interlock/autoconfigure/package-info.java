/** Auto-configuration of distributed locks. */
@NullMarked
package io.interlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
