/** A file next to the running server; a relative path would depend on the folder in which the server was started. */
export type AbsolutePath = `/${string}`;
