import { findNearest } from '#shared/util';
import type { GatewayModel } from '../gateway/model.ts';
import { stripPrefix } from './bare-name.ts';

/** Why a name looks mistaken; continues a sentence that begins with the name. */
export interface NameSuggestion {
  readonly message: string;
  /** The name that was probably meant, if any. */
  readonly meant?: string;
}

/**
 * Why an unknown name in an expectation is probably a typing mistake. Undefined when it may name a tool that must not exist: "no caller reaches
 * this tool" is a sound expectation.
 * @param reached names of tools that the caller reaches
 */
export function suggestName(
  gateway: GatewayModel,
  name: string,
  reached: Iterable<string>,
): NameSuggestion | undefined {
  if (name.trim() === '') return { message: 'which is not a name' };
  const { toolNames, composites, tools, withheld } = gateway;
  if (toolNames.findByName(name) !== undefined || composites.some(composite => composite.name === name))
    return undefined;
  if (withheld.tools.some(tool => tool.name === name)) return undefined;
  const known = [...listKnownNames(gateway), ...listVisibleNames(gateway)];
  const own = known.find(
    ({ bare, backend }) => bare.includes(name) || bare.some(value => `${backend}.${value}` === name),
  );
  if (own !== undefined) return { message: `which is not what clients see: they see "${own.name}"`, meant: own.name };
  const hidden = withheld.tools.find(tool => tool.originalName === name);
  if (hidden !== undefined)
    return { message: `which is not what clients would see: that is "${hidden.name}"`, meant: hidden.name };
  const names = [...tools, ...composites].map(value => value.name);
  const alike = names.find(value => sortLetters(value) === sortLetters(name)) ?? findNearest(name, [...reached]);
  if (alike === undefined) return undefined;
  return { message: `which does not exist; did you mean "${alike}"?`, meant: alike };
}

interface Names {
  readonly backend: string;
  /** The name that clients see. */
  readonly name: string;
  /** The names that the backend, filters and overrides use. */
  readonly bare: readonly string[];
}

function listKnownNames({ tools, backends }: GatewayModel): readonly Names[] {
  return tools.map(({ backend, name, originalName }) => {
    const renamed = stripPrefix(name, backends.find(entry => entry.name === backend)?.plan.tools ?? { prefix: '' });
    return { backend, name, bare: [originalName, ...(renamed === undefined ? [] : [renamed])] };
  });
}

/** Names of tools of backends that are not locked, as far as filters and overrides name them. */
function listVisibleNames({ backends, plan }: GatewayModel): readonly Names[] {
  if (plan.aggregation.strategy !== 'prefix') return [];
  return backends.flatMap(({ name: backend, locked, plan: { tools } }) => {
    const { advertise, prefix } = tools;
    if (locked !== undefined || advertise.type !== 'only') return [];
    return advertise.names.map(bare => ({ backend, name: prefix + bare, bare: [bare] }));
  });
}

/** The letters of a name alone, so that names whose words are joined differently compare equal. */
function sortLetters(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
