/** The statements about a gateway that follow its constructor. They are returned only if they mean the same as the document. */
import { isDeepStrictEqual } from 'node:util';
import { EXPECTATIONS_ANNOTATION, getMember } from '#schemas';
import { GatewayDraft } from '../../../cdk8s/gateway/draft.ts';
import { ProvenanceNotes } from '../../../cdk8s/gateway/provenance.ts';
import type { EmitContext } from '../construct.ts';
import { NotRepresentable } from '../not-representable.ts';
import { ClientNames } from './callables.ts';
import { emitExpectations } from './expectations.ts';
import { type GatewayStatement, NO_CALL, toUnlockedBackend, UNKNOWN_CALL_SITE } from './gateway-statement.ts';
import { emitGrants } from './grants.ts';
import { normalizeSpec } from './normalize-spec.ts';
import { emitOffers } from './offers.ts';
import type { ReadGateway } from './read-gateway.ts';

/** @throws NotRepresentable when the statements would describe another gateway than the document */
export function toStatements(read: ReadGateway, context: EmitContext): readonly GatewayStatement[] {
  const { spec, props, policies, path, groupType, ownTools } = read;
  const aggregation = spec.config?.aggregation ?? {};
  // This draft offers every tool that the document offers. The names in policies are looked up in it, before it is known which tools grants offer.
  const all = buildDraft(
    read,
    emitOffers(aggregation, () => false, context),
  );
  const isOffered = all.offer.isOffered.bind(all.offer);
  const names = new ClientNames(
    all,
    ownTools.map(({ toolName }) => toolName),
  );
  const { knowsCallers } = props.incoming;
  const grants = emitGrants(policies, path, { groupType, knowsCallers, names, isOffered });
  const expected = getMember(getMember(context.object.value.metadata, 'annotations'), EXPECTATIONS_ANNOTATION);
  const expectations =
    typeof expected === 'string'
      ? emitExpectations(expected, name =>
          names.isOwnTool(name) ? { toolName: name } : (names.findTool(name, isOffered) ?? name),
        )
      : [];
  const statements = [...emitOffers(aggregation, grants.isGranted, context), ...grants.statements, ...expectations];
  prove(buildDraft(read, statements), read, expected);
  return statements;
}

function buildDraft(
  { props, backends, outgoing, parts, ownTools }: ReadGateway,
  statements: readonly GatewayStatement[],
): GatewayDraft {
  const draft = new GatewayDraft({
    props,
    call: NO_CALL,
    notes: new ProvenanceNotes(() => undefined),
    members: () => backends.members,
    credentials: outgoing.credentials,
    parts: parts.map(({ part }) => part),
  });
  for (const { spec } of backends.written)
    draft.addBackend(toUnlockedBackend(spec.name), { spec, callSite: UNKNOWN_CALL_SITE });
  for (const { definition } of ownTools) draft.addOwnTool(definition);
  for (const statement of statements) statement.apply(draft);
  return draft;
}

function prove(draft: GatewayDraft, { spec }: ReadGateway, expected: unknown): void {
  const [problem] = draft.problems();
  if (problem !== undefined)
    throw new NotRepresentable(`the construct \`Gateway\` refuses this spec: ${problem.message}.`);
  const isSame =
    isDeepStrictEqual(normalizeSpec(draft.spec()), normalizeSpec(spec)) &&
    isDeepStrictEqual(parseJson(draft.expected()), parseJson(expected));
  if (!isSame) throw new NotRepresentable('the construct `Gateway` would generate a spec with another meaning.');
}

function parseJson(json: unknown): unknown {
  return typeof json === 'string' ? JSON.parse(json) : undefined;
}
