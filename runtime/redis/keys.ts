/**
 * The names of keys. A cluster stores keys with the same hash tag, the text in braces, on one node: keys that one script or transaction uses
 * together have one tag.
 * @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags
 */
export class RedisKeys {
  readonly #prefix: string;

  /**
   * @param prefix the beginning of every key: `team-a:`
   * @param namespace the namespace of the gateway
   * @param name the name of the gateway, so that gateways with the same Redis and prefix have different keys
   */
  constructor(prefix: string, { namespace, name }: { readonly namespace: string; readonly name: string }) {
    this.#prefix = `${prefix}${namespace}:${name}:`;
  }

  /**
   * @param area the purpose of the keys: `session`
   * @param tag the hash tag of keys that are used together, without braces; empty for a key of the whole gateway
   */
  formatKey(area: string, tag: string, ...rest: readonly string[]): string {
    return [`${this.#prefix}${area}:{${tag === '' ? area : tag}}`, ...rest].join(':');
  }
}
