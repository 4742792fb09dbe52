import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { VirtualMCPServerSpec, VirtualMCPServerStatus } from '#schemas';
import {
  areStatusesEqual,
  type CompileObservation,
  computeGatewayStatus,
  GATEWAY_CONDITIONS,
  type UnitState,
} from '../../../../controller/status/index.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { runs } from '../../../support/runs.ts';
import { StatusInvariants } from '../../../support/status-invariants.ts';
import { at, backend, COMPILED, NEW, OLD, pod, SPEC, statusInput, UNIT } from './status-input.ts';

/** For any observations in any order: the invariants hold, no type is unknown, and repeated observations change nothing. */
test('the status of a gateway keeps all its invariants for random pods and compilations', () => {
  const status = fc.constantFrom('ready', 'degraded', 'unavailable', 'unauthenticated', 'unknown');
  const digest = fc.constantFrom(OLD, NEW);
  const aPod = fc.record({
    isReady: fc.boolean(),
    digest: fc.option(digest),
    refused: fc.option(fc.string({ unit: anyCharacter })),
    problem: fc.option(fc.string({ unit: anyCharacter })),
    isStuck: fc.boolean(),
    failsRequests: fc.boolean(),
    backends: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), status }), {
      selector: ({ name }) => name,
    }),
  });
  const diagnostic = fc.record({
    code: fc.constantFrom('LNT2001', 'LNT4016', 'LNT4023', 'LNT4012', 'LNT1046'),
    severity: fc.constantFrom('error', 'warning', 'hint'),
    message: fc.string({ unit: anyCharacter }),
    pointer: fc.constantFrom('/spec/groupRef/name', '/spec/podTemplateSpec', '/spec/incomingAuth/oidcConfigRef', ''),
  });
  const step = fc.record({
    newGeneration: fc.boolean(),
    second: fc.nat({ max: 59 }),
    compiled: fc.option(
      fc.record({
        digest: fc.option(digest),
        isGood: fc.boolean(),
        diagnostics: fc.array(diagnostic, { maxLength: 4 }),
      }),
    ),
    unit: fc.option(fc.record({ digest, heldDigest: fc.option(digest, { nil: undefined }) })),
    deployment: fc.option(fc.record({ replicas: fc.nat({ max: 3 }) })),
    pods: fc.array(aPod, { maxLength: 3 }),
    spec: fc.constantFrom(SPEC, {
      ...SPEC,
      authServerConfig: {},
      podTemplateSpec: {},
    } as unknown as VirtualMCPServerSpec),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), steps => {
      const invariants = new StatusInvariants();
      let generation = 1;
      let before: VirtualMCPServerStatus = {};
      for (const { newGeneration, second, compiled, unit, deployment, pods, spec } of steps) {
        if (newGeneration) generation += 1;
        const found = statusInput({
          generation,
          now: at(second),
          compiled: compiled === null ? undefined : ({ ...COMPILED, ...compiled } as CompileObservation),
          unit: unit === null ? undefined : ({ ...UNIT, ...unit } as UnitState),
          deployment: deployment ?? undefined,
          pods: pods.map((one, index) =>
            pod({
              ...one,
              name: `p${index}`,
              backends: one.backends.map(({ name, status: is }) => backend(is as 'ready', name)),
            }),
          ),
          spec,
        });
        before = computeGatewayStatus(found, before);
        expect(areStatusesEqual(computeGatewayStatus(found, before), before)).toBe(true);
        for (const { type } of before.conditions ?? []) expect(GATEWAY_CONDITIONS).toContain(type);
        invariants.inputChanged();
        invariants.see({
          apiVersion: 'lintel.dev/v1beta1',
          kind: 'VirtualMCPServer',
          metadata: { name: 'eng', namespace: 'a', generation },
          status: before,
        });
      }
      expect(invariants.violations).toEqual([]);
    }),
    { seed: 20261122, numRuns: runs(300) },
  );
});
