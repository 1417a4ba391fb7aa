/**
 * The fault suite: what the locks do while servers, links and holders fail.
 */
@NullMarked
package io.interlock.faults;

import org.jspecify.annotations.NullMarked;
