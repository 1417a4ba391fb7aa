package io.interlock.console;

import java.nio.charset.StandardCharsets;
import java.security.Principal;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;

/**
 * {@link WebEndpoint @WebEndpoint} that hands out a page to look at locks. The page reads
 * the other endpoints by itself, with the rights of its reader.
 */
@WebEndpoint(id = "locksconsole", defaultAccess = Access.READ_ONLY)
final class LocksConsoleEndpoint {

	private static final MimeType HTML = MimeType.valueOf("text/html;charset=UTF-8");

	private static final MimeType SCRIPT = MimeType.valueOf("text/javascript;charset=UTF-8");

	private static final MimeType STYLE = MimeType.valueOf("text/css;charset=UTF-8");

	private final ConsoleSurroundings surroundings;

	LocksConsoleEndpoint(ConsoleSurroundings surroundings) {
		this.surroundings = surroundings;
	}

	/** Return the page. */
	@ReadOperation(produces = "text/html")
	public WebEndpointResponse<Resource> page(SecurityContext securityContext) {
		Principal operator = securityContext.getPrincipal();
		String page = this.surroundings.writeInto(ConsoleFiles.page(), (operator != null) ? operator.getName() : null);
		return new WebEndpointResponse<>(new ByteArrayResource(page.getBytes(StandardCharsets.UTF_8)), HTML);
	}

	/** Return a script or style of the page. */
	@ReadOperation(produces = { "text/javascript", "text/css" })
	public WebEndpointResponse<Resource> file(@Selector(match = Selector.Match.ALL_REMAINING) String[] path) {
		Resource file = (path.length == 1) ? ConsoleFiles.find(path[0]) : null;
		if (file == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return new WebEndpointResponse<>(file, path[0].endsWith(".css") ? STYLE : SCRIPT);
	}

}
