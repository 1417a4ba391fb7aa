/** How much an application logs while its store is away, slow or back. */
@NullMarked
package io.interlock.faults.log;

import org.jspecify.annotations.NullMarked;
