package io.interlock.autoconfigure.store;

/** Thrown on start-up if locks have no store, or several possible ones. */
final class StoreChoiceException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String remedy;

	StoreChoiceException(String problem, String remedy) {
		super(problem + " " + remedy);
		this.problem = problem;
		this.remedy = remedy;
	}

	String problem() {
		return this.problem;
	}

	String remedy() {
		return this.remedy;
	}

}
