package io.interlock.curator;

/**
 * Others hold the lock, and the attempt does not wait. Ends the recipe, which removes the
 * node.
 */
final class HeldByOthersException extends Exception {

	HeldByOthersException() {
		super("Held by others", null, false, false);
	}

}
