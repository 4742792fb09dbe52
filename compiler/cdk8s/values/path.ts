/** A file where the server runs; a relative path would depend on the folder in which it was started. */
export type AbsolutePath = `/${string}`;
