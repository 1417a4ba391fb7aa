/** Whether the store of the locks serves: at the start, and as a health indicator. */
@NullMarked
package io.interlock.health;

import org.jspecify.annotations.NullMarked;
