/** The prop `authorization` of a gateway, and the texts of its policies. */
import { isObject } from '#schemas';
import { Authorization, type CedarEntity } from '../../../cdk8s/gateway/authorization.ts';
import type { ChosenPolicies } from '../../../resolve/choose-incoming-auth.ts';
import type { Path } from '../../../source/source-document.ts';
import { type Code, call } from '../../typescript/code.ts';
import { NotRepresentable } from '../not-representable.ts';
import { emitPlainValue } from '../plain-value.ts';
import { emitText } from './gateway-statement.ts';

export interface EmittedAuthorization {
  readonly authorization: Authorization;
  /** The code for the prop; undefined for the default, which the program does not write. */
  readonly code: Code | undefined;
  readonly policies: readonly string[];
  /** The path of the list of policies. */
  readonly path: Path;
}

/**
 * @param shared returns an expression for the name of an MCPAuthzConfig
 * @throws NotRepresentable
 */
export function emitAuthorization(
  chosen: ChosenPolicies | undefined,
  shared: (name: string) => Code,
): EmittedAuthorization {
  if (chosen === undefined)
    return { authorization: Authorization.none(), code: call('Authorization.none'), policies: [], path: [] };
  switch (chosen.type) {
    case 'shared': {
      const { name, path } = chosen;
      const code = call('Authorization.existing', shared(name));
      return { authorization: Authorization.existing(name), code, policies: [], path };
    }
    case 'configMap': {
      const { name, path } = chosen;
      const key = chosen.key === DEFAULT_KEY ? undefined : chosen.key;
      const code = call('Authorization.configMap', emitText(name), ...(key === undefined ? [] : [emitText(key)]));
      return { authorization: Authorization.configMap(name, key), code, policies: [], path };
    }
    case 'inline': {
      const { policies, entitiesJson, primaryUpstreamProvider, holder } = chosen;
      if (primaryUpstreamProvider !== undefined)
        throw new NotRepresentable('there is no prop for `primaryUpstreamProvider`.');
      if (policies.length === 0) throw new NotRepresentable('`policies` is empty.');
      const path = [...holder, 'policies'];
      const entities = entitiesJson === undefined ? undefined : parseEntities(entitiesJson);
      if (entities === undefined || entities.length === 0)
        return { authorization: Authorization.granted(), code: undefined, policies, path };
      const code = call('Authorization.granted', emitPlainValue({ entities }));
      return { authorization: Authorization.granted({ entities }), code, policies, path };
    }
  }
}

const DEFAULT_KEY = 'authz.json';

/** @throws NotRepresentable for values that the prop does not accept without loss */
function parseEntities(json: string): readonly CedarEntity[] {
  const entities = parseJson(json);
  // Cedar integers have 64 bits, so a number with more digits may change when JavaScript reads it.
  if (!Array.isArray(entities) || !entities.every(isEntity) || /\d{16}/.test(json))
    throw new NotRepresentable(
      '`entitiesJson` is not a list of Cedar entities, or it has a number with more than 15 digits.',
    );
  return entities;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isEntity(value: unknown): value is CedarEntity {
  return (
    isObject(value) &&
    isUid(value.uid) &&
    isObject(value.attrs) &&
    Array.isArray(value.parents) &&
    value.parents.every(isUid) &&
    (value.tags === undefined || isObject(value.tags)) &&
    Object.keys(value).every(key => ['uid', 'attrs', 'parents', 'tags'].includes(key))
  );
}

function isUid(value: unknown): boolean {
  return (
    isObject(value) && typeof value.type === 'string' && typeof value.id === 'string' && Object.keys(value).length === 2
  );
}
