/** Claims by name, each with the value or the values of which any will do. A list without values would fit no caller. */
export interface Claims {
  readonly [claim: string]: string | readonly [string, ...string[]];
}
