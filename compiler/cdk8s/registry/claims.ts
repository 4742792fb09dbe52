/** Claims by name, each with one value or alternative values. An empty list would match no caller. */
export interface Claims {
  readonly [claim: string]: string | readonly [string, ...string[]];
}
