/** Leader election: one instance leads, the others stand by. */
@NullMarked
package io.interlock.leader;

import org.jspecify.annotations.NullMarked;
