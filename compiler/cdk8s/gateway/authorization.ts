import type { ConfigAuthz, IncomingAuth } from '#schemas';
import type { IncomingParts } from '../incoming-auth/incoming.ts';
import { type CallSite, captureCall } from '../origins.ts';

/** Type and id of a Cedar entity. */
export interface CedarUid {
  readonly type: string;
  readonly id: string;
}

/** A Cedar entity that always exists, such as a team that belongs to another team. */
export interface CedarEntity {
  readonly uid: CedarUid;
  readonly attrs: { readonly [attribute: string]: unknown };
  readonly parents: readonly CedarUid[];
  readonly tags?: { readonly [tag: string]: unknown };
}

export interface GrantedProps {
  /** Entities for policies, besides callers and items. */
  readonly entities?: readonly CedarEntity[];
}

/** The source of a gateway's policies. */
type PolicyOrigin =
  | { readonly type: 'granted'; readonly entities: readonly CedarEntity[] | undefined }
  | { readonly type: 'none' }
  | {
      readonly type: 'elsewhere';
      /** The object that contains the policies, for messages. */
      readonly where: string;
      readonly block: Pick<IncomingAuth, 'authzConfig' | 'authzConfigRef'>;
    };

/**
 * Where permissions come from, if not from the program's grants alone.
 *
 * @example
 * new Gateway(this, 'mine', { group, incoming: Incoming.local(), authorization: Authorization.none() });
 */
export class Authorization {
  readonly #source: PolicyOrigin;
  readonly #callSite: CallSite | undefined;

  private constructor(source: PolicyOrigin, callSite?: CallSite) {
    this.#source = source;
    this.#callSite = callSite;
  }

  /** The default: permits what the program grants, and nothing else. */
  static granted(props: GrantedProps = {}): Authorization {
    return new Authorization({ type: 'granted', entities: props.entities }, captureCall(Authorization.granted).at(0));
  }

  /** No policies: each authenticated caller may use everything that is offered. */
  static none(): Authorization {
    return new Authorization({ type: 'none' }, captureCall(Authorization.none).at());
  }

  /**
   * Policies in a ConfigMap.
   *
   * @param key of the authorization document. Default: `authz.json`
   */
  static configMap(name: string, key?: string): Authorization {
    const configMap = { name, ...(key === undefined ? {} : { key }) };
    const where = `ConfigMap "${name}"`;
    const block = { authzConfig: { type: 'configMap', configMap } } as const;
    return new Authorization({ type: 'elsewhere', where, block }, captureCall(Authorization.configMap).at(0));
  }

  /** Policies in an MCPAuthzConfig, for several gateways. */
  static existing(name: string): Authorization {
    const where = `MCPAuthzConfig "${name}"`;
    const block = { authzConfigRef: { name } };
    return new Authorization({ type: 'elsewhere', where, block }, captureCall(Authorization.existing).at(0));
  }

  /** Whether the program's statements decide what is permitted. */
  get isGranted(): boolean {
    return this.#source.type === 'granted';
  }

  /** Why this authorization conflicts with the program's authentication or grants. */
  problems(incoming: IncomingParts, statements: number): readonly string[] {
    const source = this.#source;
    if (source.type === 'granted') return [];
    const instead = source.type === 'none' ? 'with `Authorization.none()` everything is permitted' : undefined;
    const because = instead ?? `${source.type === 'elsewhere' ? source.where : ''} has the policies`;
    const problems: string[] = [];
    if (statements > 0) {
      problems.push(
        `${because}, so nothing is granted, forbidden or added here: leave \`authorization\` out, or those calls`,
      );
    }
    if (source.type === 'elsewhere' && 'configIncomingAuth' in incoming) {
      problems.push(
        `${because}, and an \`incoming\` that is written out in the gateway has its policies there: use one with an object of its own, such as Oidc.existing(…)`,
      );
    }
    const takesGroups = source.type === 'elsewhere' && source.block.authzConfig !== undefined;
    if (incoming.groups !== undefined && !takesGroups) {
      problems.push(`${because}, so the \`groups\` of \`incoming\` have no effect: leave them out`);
    }
    return problems;
  }

  /** The fields of `spec.incomingAuth` for policies: `authzConfig` or a reference. */
  referring(
    { groups }: IncomingParts,
    policies: () => readonly string[],
  ): Pick<IncomingAuth, 'authzConfig' | 'authzConfigRef'> {
    const source = this.#source;
    switch (source.type) {
      case 'none':
        return {};
      case 'elsewhere': {
        const { authzConfig } = source.block;
        return authzConfig === undefined ? source.block : { authzConfig: { ...authzConfig, ...groups } };
      }
      case 'granted':
        return {
          authzConfig: { type: 'inline', ...groups, inline: { policies: policies(), ...this.#entitiesJson() } },
        };
    }
  }

  /** The field for policies of authentication that is written inline in the gateway. */
  written({ groups }: IncomingParts, policies: () => readonly string[]): { readonly authz?: ConfigAuthz } {
    if (!this.isGranted) return {};
    return { authz: { type: 'cedar', ...groups, policies: policies(), ...this.#entitiesJson() } };
  }

  /** The position in the program of each part of the manifest. */
  get callSite(): CallSite | undefined {
    return this.#callSite;
  }

  #entitiesJson(): { readonly entitiesJson?: string } {
    const entities = this.#source.type === 'granted' ? this.#source.entities : undefined;
    return entities === undefined ? {} : { entitiesJson: JSON.stringify(entities) };
  }
}
