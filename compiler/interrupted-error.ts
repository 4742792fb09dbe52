/** A person ended the command by Ctrl-C while it asked. */
export class InterruptedError extends Error {}
