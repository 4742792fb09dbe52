import { EXPECTATIONS_ANNOTATION, getMember } from '#schemas';
import {
  decideAccess,
  type Expectation,
  listReachedTools,
  listUnspecifiedClaims,
  readExpectations,
  suggestName,
} from '../../analysis/access/index.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';
import { formatList } from '../../text/describe.ts';

/** The tokens of hypothetical callers do not expire, and no particular user runs the compiler. */
const CONTEXT = { now: 0, user: 'anyone' };

const ANNOTATION: Path = ['metadata', 'annotations', EXPECTATIONS_ANNOTATION];

/**
 * Expectations in the annotation must hold. An undecidable expectation is reported and never counts as met.
 *
 * @holds incomingAuth | annotation `lintel.dev/expectations` | is JSON with expectations that hold for the existing callers, tools and
 *   policies | LNT5013–LNT5015
 * @reads sign-in
 * @needs all backends
 */
export function expectations(gateway: GatewayModel): Diagnostic[] {
  const { document } = gateway.resource;
  const annotations = getMember(getMember(document.doc.value, 'metadata'), 'annotations');
  const text = getMember(annotations, EXPECTATIONS_ANNOTATION);
  if (text === undefined) return [];
  if (typeof text !== 'string')
    return [diagnose(document, 'LNT5014', ANNOTATION, 'expectations must be JSON in a string')];
  const read = readExpectations(text);
  if ('problem' in read) {
    const { path, message } = read.problem;
    const at = path.map(step => `/${step}`).join('');
    return [diagnose(document, 'LNT5014', [...ANNOTATION, ...path], `${at === '' ? 'expectations' : at}: ${message}`)];
  }
  return read.expectations.flatMap((expectation, index) => {
    const failures = checkExpectation(gateway, expectation);
    return failures.map(({ code, path, message }) =>
      diagnose(document, code, [...ANNOTATION, index, ...path], `${formatCaller(expectation)} ${message}`),
    );
  });
}

const UNLOCKED = 'not every backend is in the tool lock';

interface Failure {
  readonly code: 'LNT5013' | 'LNT5015';
  /** The path of the undecidable or unmet part within the expectation. */
  readonly path: Path;
  /** The message, without the description of the caller at its beginning. */
  readonly message: string;
}

function checkExpectation(gateway: GatewayModel, expectation: Expectation): readonly Failure[] {
  const { claims, canCall, cannotReach, reaches } = expectation;
  const unsaid = listUnspecifiedClaims(gateway, claims, CONTEXT);
  if (unsaid.length > 0) {
    const path = ['caller'];
    const message = `has no ${formatList(unsaid)}, which every token has and policies read: the expectation cannot be checked`;
    return [{ code: 'LNT5015', path, message }];
  }
  const calls = canCall.flatMap((name, index) => checkCall(gateway, claims, name, ['canCall', index]));
  if (cannotReach.length === 0 && reaches === undefined) return calls;
  const reached = listReachedTools(gateway, claims, CONTEXT);
  const undecided = (path: Path, what: string, because: string): Failure => {
    return { code: 'LNT5015', path, message: `${what}: this cannot be checked, because ${because}` };
  };
  const ways = reached?.ways ?? new Map<string, string>();
  const because = reached === undefined ? 'the policies are not in these sources' : UNLOCKED;
  const forbidden = cannotReach.flatMap((name, index): Failure[] => {
    const path = ['cannotReach', index];
    const way = ways.get(name);
    if (way !== undefined) {
      const how = way === name ? 'may call it' : `may call "${way}", which calls it`;
      return [{ code: 'LNT5013', path, message: `must not reach "${name}", and ${how}` }];
    }
    const mistaken = suggestName(gateway, name, ways.keys());
    if (mistaken !== undefined) {
      return [{ code: 'LNT5013', path, message: `must not reach "${name}", ${mistaken.message}` }];
    }
    return reached?.mayReach(name) === false ? [] : [undecided(path, `must not reach "${name}"`, because)];
  });
  if (reaches === undefined) return [...calls, ...forbidden];
  const count = ways.size;
  const names = [...ways.keys()].sort().join(', ');
  if (reached?.mayBeMore !== false && count <= reaches) {
    return [...calls, ...forbidden, undecided(['reaches'], `must reach ${reaches} tools`, because)];
  }
  const message = `must reach ${reaches} tools, and reaches ${count}${count === 0 ? '' : `: ${names}`}`;
  const counted: Failure[] = count === reaches ? [] : [{ code: 'LNT5013', path: ['reaches'], message }];
  return [...calls, ...forbidden, ...counted];
}

function checkCall(gateway: GatewayModel, claims: Expectation['claims'], name: string, path: Path): readonly Failure[] {
  const must = `must be able to call "${name}"`;
  const answer = decideAccess(gateway, { action: 'call_tool', name, args: undefined, claims }, CONTEXT);
  switch (answer.decision) {
    case 'allowed':
      return [];
    case 'no-such-name': {
      const near = answer.nearest === undefined ? '' : `; did you mean "${answer.nearest}"?`;
      return [{ code: 'LNT5013', path, message: `${must}, which does not exist${near}` }];
    }
    case 'undecided':
      return [{ code: 'LNT5015', path, message: `${must}: this cannot be checked, because ${UNLOCKED}` }];
    case 'denied': {
      const { reason } = answer;
      const why = reason.type === 'not-admitted' ? `is refused: ${reason.causes.join('; ')}` : 'may not';
      return [{ code: 'LNT5013', path, message: `${must}, and ${why}` }];
    }
  }
}

function formatCaller({ claims }: Expectation): string {
  return claims === undefined ? 'a caller without a token' : `a caller with ${JSON.stringify(claims)}`;
}
