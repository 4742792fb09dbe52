import type { ParamHeader } from '#shared/plan';

/** The known tools of a backend, by the backend's names. */
export interface KnownTools {
  /**
   * The arguments that a tool requires as headers; undefined for a tool that is unknown or not served.
   * @param sender the sender of the request: a backend may offer different tools to each caller
   */
  findHeaders(tool: string, sender: object | undefined): readonly ParamHeader[] | undefined;
  /**
   * Reads the backend's lists again, once for all waiting requests. Resolves when a reading that began after this call has ended, even with a
   * failure.
   * @param sender as for `findHeaders`
   */
  readAgain(sender: object | undefined): Promise<void>;
}
