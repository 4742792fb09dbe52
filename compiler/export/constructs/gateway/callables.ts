/** From the names that clients see back to tools and prompts. */
import type { GatewayDraft } from '../../../cdk8s/gateway/draft.ts';
import type { Tool } from '../../../cdk8s/tool.ts';

/** What is known of names before anything is granted. */
export class ClientNames {
  readonly #draft: GatewayDraft;
  readonly #ownTools: ReadonlySet<string>;

  /** @param draft with all statements but the grants */
  constructor(draft: GatewayDraft, ownTools: readonly string[]) {
    this.#draft = draft;
    this.#ownTools = new Set(ownTools);
  }

  isOwnTool(name: string): boolean {
    return this.#ownTools.has(name);
  }

  /** The tool that is offered by a name, if there can be only one. */
  tool(name: string, isOffered: (tool: Tool) => boolean): Tool | undefined {
    const { naming } = this.#draft;
    const candidates = this.#candidates(name).flatMap(({ backend, bare }) => {
      const tool = { backend, name: this.#original(backend, bare) };
      const named = naming.tool(tool);
      return 'name' in named && named.name === name && isOffered(tool) ? [tool] : [];
    });
    return candidates.length === 1 ? candidates[0] : undefined;
  }

  prompt(name: string): { readonly backend: string; readonly prompt: string } | undefined {
    const { naming } = this.#draft;
    const candidates = this.#candidates(name)
      .filter(({ backend, bare }) => naming.prompt(backend, bare) === name)
      .map(({ backend, bare }) => ({ backend, prompt: bare }));
    return candidates.length === 1 ? candidates[0] : undefined;
  }

  /** URIs do not say whose they are. */
  resource(uri: string): { readonly backend: string; readonly uri: string } | undefined {
    const [only, ...others] = this.#draft.backends;
    return only === undefined || others.length > 0 ? undefined : { backend: only.name, uri };
  }

  /** What a name may be made of: the bare name of any backend, or with the prefix that prompts always have. */
  #candidates(name: string): readonly { readonly backend: string; readonly bare: string }[] {
    const { naming, backends } = this.#draft;
    return backends.flatMap(({ name: backend }) => {
      const prefix = naming.getPrefix(backend);
      const isPrefixed = prefix !== '' && name.startsWith(prefix) && name.length > prefix.length;
      return [...new Set([name, ...(isPrefixed ? [name.slice(prefix.length)] : [])])].map(bare => ({
        backend,
        bare,
      }));
    });
  }

  /** Names are given to originals. */
  #original(backend: string, bare: string): string {
    const renames = this.#draft.offer.renames.get(backend) ?? new Map<string, string>();
    return [...renames].find(([, name]) => name === bare)?.[0] ?? bare;
  }
}
