package io.interlock.transaction;

/**
 * A row of a {@link FenceTable} that a later holder of its lock has passed.
 *
 * @param row key of the row
 * @param token its token, which is greater than the refused one
 */
record FenceRefusal(String row, long token) {

}
