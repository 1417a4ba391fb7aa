package io.interlock.template;

/** What the holds of one template share. */
record HoldParts(LockTime time, LockSettings settings, LockListeners listeners, HoldLog log, MinHolds minHolds) {
}
