/** An operator ended an interactive command by Ctrl-C. */
export class InterruptedError extends Error {}
