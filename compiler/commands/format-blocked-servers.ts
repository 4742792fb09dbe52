import type { Compilation } from '../compile/compilation.ts';
import type { ObjectRef } from '../diagnostics/diagnostic.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { displayName } from './choose-objects.ts';

/** Maximum number of named findings, and of servers named for one finding; the rest is counted. */
const MAX_FINDINGS = 10;
const MAX_NAMES = 10;

/**
 * Findings that prevent servers from being written although they are about other objects, one line each, such as `a.yaml:3:9: LNT1001 keeps 2
 * servers from being written: default/eng, default/ops (what stands there may be a part of any server)`; empty when there are none.
 */
export function formatBlockedServers({ gateways, servers, registries }: Compilation): string {
  const blockers = [...gateways, ...servers, ...registries].flatMap(({ blocker, object }) =>
    blocker === undefined || isSame(blocker.object, object)
      ? []
      : [{ finding: blocker, name: `${object.namespace}/${displayName(object)}` }],
  );
  const byFinding = [...Map.groupBy(blockers, ({ finding }) => finding)];
  const lines = byFinding.slice(0, MAX_FINDINGS).map(([{ file, range, code, object }, servers]) => {
    const location = `${file}:${range.start.line}:${range.start.column}`;
    const names = servers.slice(0, MAX_NAMES).map(({ name }) => name);
    const rest = servers.length > MAX_NAMES ? ` and ${servers.length - MAX_NAMES} more` : '';
    const what = count(servers.length, 'server');
    const because =
      object === undefined
        ? 'what stands there may be a part of any server'
        : `${object.kind} ${object.namespace}/${object.name} is or may be a part`;
    return `${escapeUnprintable(`${location}: ${code} keeps ${what} from being written: ${names.join(', ')}${rest} (${because})`)}\n`;
  });
  const more = byFinding.length - lines.length;
  if (more > 0)
    lines.push(`${count(more, 'more finding')} ${more === 1 ? 'keeps' : 'keep'} further servers from being written\n`);
  return lines.join('');
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}

function isSame(a: ObjectRef | undefined, b: ObjectRef): boolean {
  return a?.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}
