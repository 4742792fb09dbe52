/**
 * Limits on what clients say and we keep: for as long as a session, a stream or a call is, which is up to the client. All are in
 * characters, of JSON text or of a URI.
 */

/** The id of a message, with its quotes and escapes. */
export const MAX_ID_LENGTH = 512;

/** A client's name and capabilities: `params` of `initialize`, or each of the two members of `_meta`. */
export const MAX_TRAITS_LENGTH: number = 64 * 1024;

/** The URI of a resource that a client subscribes to. */
export const MAX_WATCHED_URI_LENGTH: number = 8 * 1024;

/** The total of them in one session, or of one `subscriptions/listen`. */
export const MAX_WATCHED_URIS_LENGTH: number = 256 * 1024;
