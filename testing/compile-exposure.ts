import { createEvaluationContext, type GatewayModel } from '#compiler';
import { CallerExposure, type Claims } from './caller-exposure.ts';
import { chooseModel, type ExposureSettings } from './chosen-model.ts';
import type { Synthesizable } from './compiled-chart.ts';

/** The access of callers through one gateway. */
export interface GatewayExposure {
  /** The gateway, as `namespace/name`. */
  readonly gateway: string;
  /**
   * A caller with these claims in its token, as the identity provider issues them. Claims that every accepted token has, such as `iss`, get a
   * value that the gateway accepts; `sub` is `test-caller` unless given.
   */
  caller(claims: Claims): CallerExposure;
  /** A caller without a token. */
  anonymous(): CallerExposure;
}

/**
 * What the gateway of a chart exposes, computed as `lintel can` does, with the same tool lock.
 *
 * @example
 * const eng = compileExposure(chart).caller({ groups: ['eng'] });
 * eng.canCall('github_create_issue').cannotReach('pg_drop_table');
 * compileExposure(chart).anonymous().reaches(0);
 *
 * @throws Error when the specs have errors, or when several gateways match
 */
export function compileExposure(source: Synthesizable, settings: ExposureSettings = {}): GatewayExposure {
  const { name, model } = chooseModel(source, settings);
  return createGatewayExposure(name, model);
}

function createGatewayExposure(gateway: string, model: GatewayModel): GatewayExposure {
  const now = createEvaluationContext();
  return {
    gateway,
    caller: claims => new CallerExposure(gateway, model, { sub: TEST_CALLER, ...claims }, now),
    anonymous: () => new CallerExposure(gateway, model, undefined, now),
  };
}

const TEST_CALLER = 'test-caller';
