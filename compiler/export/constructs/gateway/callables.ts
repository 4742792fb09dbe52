/** Resolves names that clients see to tools and prompts. */
import type { GatewayDraft } from '../../../cdk8s/gateway/draft.ts';
import type { Tool } from '../../../cdk8s/tool.ts';

/** The names that are known before the grants are read. */
export class ClientNames {
  readonly #draft: GatewayDraft;
  readonly #ownTools: ReadonlySet<string>;

  /** @param draft with all statements except grants */
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

  /** A URI does not tell its backend. */
  findResource(uri: string): { readonly backend: string; readonly uri: string } | undefined {
    const [only, ...others] = this.#draft.backends;
    return only === undefined || others.length > 0 ? undefined : { backend: only.name, uri };
  }

  /** The possible origins of a name: the unprefixed name at any backend, or the prefixed one, which prompts always have. */
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

  /** Renames apply to original names. */
  #getOriginal(backend: string, bare: string): string {
    const renames = this.#draft.offer.renames.get(backend) ?? new Map<string, string>();
    return [...renames].find(([, name]) => name === bare)?.[0] ?? bare;
  }
}
