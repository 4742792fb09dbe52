import type { ConfigAuthz, IncomingAuth } from '#schemas';
import type { IncomingParts } from '../incoming.ts';
import { type CallSite, captureCall } from '../origins.ts';

/** Type and id of a Cedar entity. */
export interface CedarUid {
  readonly type: string;
  readonly id: string;
}

/** A Cedar entity that is always there, such as a team that is part of another one. */
export interface CedarEntity {
  readonly uid: CedarUid;
  readonly attrs: { readonly [attribute: string]: unknown };
  readonly parents: readonly CedarUid[];
  readonly tags?: { readonly [tag: string]: unknown };
}

export interface GrantedProps {
  /** Entities that policies know besides callers and what is called. */
  readonly entities?: readonly CedarEntity[];
}

/** Where the policies of a gateway come from. */
type Source =
  | { readonly type: 'granted'; readonly entities: readonly CedarEntity[] | undefined }
  | { readonly type: 'none' }
  | {
      readonly type: 'elsewhere';
      /** For messages. */
      readonly where: string;
      readonly block: Pick<IncomingAuth, 'authzConfig' | 'authzConfigRef'>;
    };

/**
 * Who decides what callers may do, when it is not the grants of the program alone.
 *
 * @example
 * new Gateway(this, 'mine', { group, incoming: Incoming.local(), authorization: Authorization.none() });
 */
export class Authorization {
  readonly #source: Source;
  readonly #given: CallSite | undefined;

  private constructor(source: Source, given?: CallSite) {
    this.#source = source;
    this.#given = given;
  }

  /** What a gateway has that does not say otherwise: it permits what is granted, and nothing else. */
  static granted(props: GrantedProps = {}): Authorization {
    return new Authorization({ type: 'granted', entities: props.entities }, captureCall(Authorization.granted).at(0));
  }

  /** No policies at all: each authenticated caller may use all that is offered. */
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

  /** Whether statements of the program are what is permitted. */
  get isGranted(): boolean {
    return this.#source.type === 'granted';
  }

  /** Why a program cannot have this next to who may connect and what is granted. */
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

  /** `authzConfig` and the like, next to the type of incoming authentication. */
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

  /** The block of an authentication that is written out in the gateway. */
  written({ groups }: IncomingParts, policies: () => readonly string[]): { readonly authz?: ConfigAuthz } {
    if (!this.isGranted) return {};
    return { authz: { type: 'cedar', ...groups, policies: policies(), ...this.#entitiesJson() } };
  }

  /** Where it was given, for a place in the manifest. */
  get given(): CallSite | undefined {
    return this.#given;
  }

  #entitiesJson(): { readonly entitiesJson?: string } {
    const entities = this.#source.type === 'granted' ? this.#source.entities : undefined;
    return entities === undefined ? {} : { entitiesJson: JSON.stringify(entities) };
  }
}
