/** A construct cannot represent something; the message says what, for readers of the program. */
export class NotRepresentable extends Error {}
