package io.interlock.sample.show.live;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What the live page shows, over HTTP. The page asks again and again; nothing is kept for
 * it between two requests.
 */
@RestController
@RequestMapping("/demo/live")
class LiveController {

	private final Boards boards;

	private final InstanceViews here;

	LiveController(Boards boards, InstanceViews here) {
		this.boards = boards;
		this.here = here;
	}

	@GetMapping
	Board board() {
		return this.boards.board();
	}

	@GetMapping("/self")
	InstanceView self() {
		return this.here.view();
	}

}
