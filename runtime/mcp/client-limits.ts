/**
 * Limits on texts of clients that the gateway keeps as long as a session, a stream or a call lasts: clients decide how long that is. All limits
 * are in characters, of JSON text or of a URI.
 */

/** The length of a message's id, with its quotes and escapes. */
export const MAX_ID_LENGTH = 512;

/** A client's name and capabilities: `params` of `initialize`, or each of the two members of `_meta`. */
export const MAX_TRAITS_LENGTH: number = 64 * 1024;

/** The URI of a resource that a client subscribes to. */
export const MAX_WATCHED_URI_LENGTH: number = 8 * 1024;

/** The total length of watched URIs in one session, or in one `subscriptions/listen`. */
export const MAX_WATCHED_URIS_LENGTH: number = 256 * 1024;
