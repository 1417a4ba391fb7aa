package io.interlock.sample.show.live;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Story}.
 */
class StoryTests {

	private final Story story = new Story();

	@Test
	void tellsWhatHappenedInOrder() {
		this.story.tell(Story.Kind.LOSS, "Lost");
		this.story.tell(Story.Kind.RECOVERY, "Found");
		assertThat(this.story.happenings()).extracting(Story.Happening::text).containsExactly("Lost", "Found");
		assertThat(this.story.happenings()).extracting(Story.Happening::id).containsExactly(1L, 2L);
	}

	@Test
	void keepsTheLastThirty() {
		for (int i = 1; i <= 50; i++) {
			this.story.tell(Story.Kind.DOUBT, "Number " + i);
		}
		assertThat(this.story.happenings()).hasSize(30)
			.first()
			.extracting(Story.Happening::text)
			.isEqualTo("Number 21");
	}

}
