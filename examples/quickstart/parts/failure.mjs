/** The demonstration cannot go on, for a reason that the message explains; no stack is shown. */
export class Failure extends Error {}
