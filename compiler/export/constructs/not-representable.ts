/** A construct has no word for something; the message tells what, for those who read the program. */
export class NotRepresentable extends Error {}
