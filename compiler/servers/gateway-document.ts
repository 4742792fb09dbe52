/** Maps paths in a server's gateway to paths in the server's spec. */
import type { Path, SourceDocument } from '../source/source-document.ts';

interface Move {
  readonly from: Path;
  readonly to: Path;
  /** Set for an object whose members were written elsewhere, or do not exist. */
  readonly isWhole?: boolean;
}

/** The fields whose path in the gateway differs from that in the server, longest path first. All other fields have the same path in both. */
const MOVES: readonly Move[] = [
  { from: ['spec', 'config', 'aggregation', 'tools', 0, 'toolConfigRef'], to: ['spec', 'toolConfigRef'] },
  { from: ['spec', 'incomingAuth', 'oidcConfigRef'], to: ['spec', 'oidcConfigRef'] },
  { from: ['spec', 'incomingAuth', 'authzConfigRef'], to: ['spec', 'authzConfigRef'] },
  { from: ['spec', 'incomingAuth', 'authzConfig'], to: ['spec', 'authzConfig'] },
  { from: ['spec', 'config', 'rateLimiting'], to: ['spec', 'rateLimiting'] },
  { from: ['spec', 'config', 'audit'], to: ['spec', 'audit'] },
  { from: ['spec', 'authServerConfig'], to: ['spec', 'authServerRef'], isWhole: true },
  { from: ['spec', 'imagePullSecrets'], to: ['spec', 'resourceOverrides', 'proxyDeployment', 'imagePullSecrets'] },
  // The reference decides whether callers need a token.
  { from: ['spec', 'incomingAuth', 'type'], to: ['spec', 'oidcConfigRef'] },
  { from: ['spec', 'incomingAuth'], to: ['spec'], isWhole: true },
  { from: ['spec', 'config'], to: ['spec'], isWhole: true },
];

/** @param path in the gateway's spec */
export function toServerPath(path: Path): Path {
  const move = MOVES.find(({ from }) => from.every((step, at) => String(path[at]) === String(step)));
  if (move === undefined) return path;
  return move.isWhole === true ? move.to : [...move.to, ...path.slice(move.from.length)];
}

/** A server's document presented as its gateway's: positions in the gateway's spec are those of the server. */
export function toGatewayDocument(doc: SourceDocument, value: unknown): SourceDocument {
  return {
    file: doc.file,
    index: doc.index,
    source: doc.source,
    value,
    get caveats() {
      return doc.caveats;
    },
    get program() {
      const { program } = doc;
      if (program === undefined) return undefined;
      return {
        constructPath: program.constructPath,
        locate: (path: Path, at: 'key' | 'value') => program.locate(toServerPath(path), at),
        calls: (path: Path) => program.calls(toServerPath(path)),
      };
    },
    locate: (path, at) => doc.locate(toServerPath(path), at),
  };
}
