/** Resolves names that clients see to tools and prompts. */
import type { GatewayDraft } from '../../../cdk8s/gateway/draft.ts';
import type { Tool } from '../../../cdk8s/tool.ts';

/** Finds what the names that clients see refer to, before the grants are known. */
export class ClientNames {
  readonly #draft: GatewayDraft;
  readonly #ownTools: ReadonlySet<string>;

  /** @param draft with all statements except grants; `ownTools` are the names of the gateway's workflows */
  constructor(draft: GatewayDraft, ownTools: readonly string[]) {
    this.#draft = draft;
    this.#ownTools = new Set(ownTools);
  }

  isOwnTool(name: string): boolean {
    return this.#ownTools.has(name);
  }

  /** The tool that is offered under a name, if it is unambiguous. */
  findTool(name: string, isOffered: (findTool: Tool) => boolean): Tool | undefined {
    const { naming } = this.#draft;
    const candidates = this.#listCandidates(name).flatMap(({ backend, bare }) => {
      const findTool = { backend, name: this.#getOriginal(backend, bare) };
      const named = naming.tool(findTool);
      return 'name' in named && named.name === name && isOffered(findTool) ? [findTool] : [];
    });
    return candidates.length === 1 ? candidates[0] : undefined;
  }

  prompt(name: string): { readonly backend: string; readonly prompt: string } | undefined {
    const { naming } = this.#draft;
    const candidates = this.#listCandidates(name)
      .filter(({ backend, bare }) => naming.prompt(backend, bare) === name)
      .map(({ backend, bare }) => ({ backend, prompt: bare }));
    return candidates.length === 1 ? candidates[0] : undefined;
  }

  /** A URI does not name its backend, so it is only certain if there is just one backend. */
  findResource(uri: string): { readonly backend: string; readonly uri: string } | undefined {
    const [only, ...others] = this.#draft.backends;
    return only === undefined || others.length > 0 ? undefined : { backend: only.name, uri };
  }

  /**
   * What a name may stand for: an item that has this name at any backend, or the rest of the name after a backend's prefix. Names of prompts always
   * have the prefix.
   */
  #listCandidates(name: string): readonly { readonly backend: string; readonly bare: string }[] {
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

  /** The name that the backend itself has for a tool: a rename maps the backend's name to the new one. */
  #getOriginal(backend: string, bare: string): string {
    const renames = this.#draft.offer.renames.get(backend) ?? new Map<string, string>();
    return [...renames].find(([, name]) => name === bare)?.[0] ?? bare;
  }
}
