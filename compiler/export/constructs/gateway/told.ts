/** What is said of a gateway after it is made, and the proof that it says what the document says. */
import { isDeepStrictEqual } from 'node:util';
import { EXPECTATIONS_ANNOTATION, memberOf } from '#schemas';
import { GatewayDraft } from '../../../cdk8s/gateway/draft.ts';
import { Notes } from '../../../cdk8s/gateway/notes.ts';
import type { Writing } from '../construct.ts';
import { Unsayable } from '../unsayable.ts';
import { ClientNames } from './callables.ts';
import { expectationSayings } from './expectations.ts';
import { grantSayings } from './grants.ts';
import { meaningOf } from './meaning.ts';
import { offerSayings } from './offers.ts';
import type { ReadGateway } from './read-gateway.ts';
import { NO_CALL, NOT_GIVEN, type Saying, unlocked } from './saying.ts';

/** @throws Unsayable when they would come to another gateway */
export function sayingsOf(read: ReadGateway, writing: Writing): readonly Saying[] {
  const { spec, props, policies, path, groupType, ownTools } = read;
  const aggregation = spec.config?.aggregation ?? {};
  // Whatever is offered, with or without a grant.
  const all = draftOf(
    read,
    offerSayings(aggregation, () => false, writing),
  );
  const isOffered = all.offer.isOffered.bind(all.offer);
  const names = new ClientNames(
    all,
    ownTools.map(({ toolName }) => toolName),
  );
  const { knowsCallers } = props.incoming;
  const grants = grantSayings(policies, path, { groupType, knowsCallers, names, isOffered });
  const expected = memberOf(memberOf(writing.object.value.metadata, 'annotations'), EXPECTATIONS_ANNOTATION);
  const expectations =
    typeof expected === 'string'
      ? expectationSayings(expected, name =>
          names.isOwnTool(name) ? { toolName: name } : (names.tool(name, isOffered) ?? name),
        )
      : [];
  const sayings = [...offerSayings(aggregation, grants.isGranted, writing), ...grants.sayings, ...expectations];
  prove(draftOf(read, sayings), read, expected);
  return sayings;
}

function draftOf(
  { props, backends, outgoing, parts, ownTools }: ReadGateway,
  sayings: readonly Saying[],
): GatewayDraft {
  const draft = new GatewayDraft({
    props,
    call: NO_CALL,
    notes: new Notes(() => undefined),
    members: () => backends.members,
    credentials: outgoing.credentials,
    parts: parts.map(({ part }) => part),
  });
  for (const { spec } of backends.written) draft.addBackend(unlocked(spec.name), { spec, given: NOT_GIVEN });
  for (const { definition } of ownTools) draft.addOwnTool(definition);
  for (const saying of sayings) saying.tell(draft);
  return draft;
}

function prove(draft: GatewayDraft, { spec }: ReadGateway, expected: unknown): void {
  const [problem] = draft.problems();
  if (problem !== undefined) throw new Unsayable(`a \`Gateway\` would refuse it: ${problem.message}.`);
  const isSame =
    isDeepStrictEqual(meaningOf(draft.spec()), meaningOf(spec)) &&
    isDeepStrictEqual(parsed(draft.expected()), parsed(expected));
  if (!isSame) throw new Unsayable('a `Gateway` with the same words would mean something else.');
}

function parsed(json: unknown): unknown {
  return typeof json === 'string' ? JSON.parse(json) : undefined;
}
