package io.interlock.test.recipe;

/**
 * A receipt.
 *
 * @param token token of the lock under which it was written
 */
record Receipt(long token) {

}
