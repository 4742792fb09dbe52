import { compareText } from '#schemas';
import { findOverride } from '#shared/plan';
import type { GatewayModel } from '../gateway/model.ts';
import { estimateTokens } from '../gateway/token-estimate.ts';
import { buildCompositeDefinition } from './composite-definition.ts';
import { computeDefinitionDigest } from './definition-digest.ts';
import type { ExposedCall, ExposedComposite, ExposedTool } from './exposure.ts';
import { readCompositeHints, readToolHints } from './hints.ts';
import { pickName } from './pick-name.ts';
import type { PlanView } from './plan/plan-view.ts';
import { isOptional, type PlannedStep, readSteps } from './plan/planned-steps.ts';
import type { Reach } from './reach.ts';
import { readTitle } from './title.ts';

export function listExposedTools(gateway: GatewayModel, reach: Reach): readonly ExposedTool[] {
  const plans = new Map(gateway.backends.map(({ name, plan }) => [name, plan.tools]));
  return reach.tools.map(({ tool, direct, through, reach }) => {
    const { name, backend, originalName, definition } = tool;
    const override = findOverride(plans.get(backend)?.overrides ?? {}, originalName);
    return {
      name,
      backend,
      originalName,
      ...readTitle(definition),
      digest: computeDefinitionDigest(definition),
      visibility: tool.advertised ? 'advertised' : 'hidden',
      hints: readToolHints(tool, override),
      tokens: estimateTokens(definition),
      direct,
      through: through
        .map(({ composite, call }) => ({ composite: composite.composite.name, step: call.call.id, who: composite.who }))
        .sort((a, b) => compareText(a.composite, b.composite)),
      reach,
    };
  });
}

/** @param plan has the steps of the workflows */
export function listExposedComposites({ composites }: Reach, plan: PlanView): readonly ExposedComposite[] {
  return composites
    .map(({ composite, who }) => {
      const definition = buildCompositeDefinition(composite);
      const steps = readSteps(plan, composite.name) ?? [];
      return {
        name: composite.name,
        from: pickName(composite.resource),
        ...readTitle(definition),
        digest: computeDefinitionDigest(definition),
        hints: readCompositeHints(composite),
        tokens: estimateTokens(definition),
        direct: who,
        calls: composite.calls.map(({ step, call, target }) => ({
          step: call.id,
          reference: call.tool ?? '',
          tool: target.type === 'tool' ? target.tool.name : null,
          ...toFirstQuestion(steps.find(({ id }) => id === step.id)),
        })),
      };
    })
    .sort((a, b) => compareText(a.name, b.name) || compareText(a.from.name, b.from.name));
}

function toFirstQuestion({ questions = [] }: Partial<PlannedStep> = {}): Pick<ExposedCall, 'asks'> {
  const asks = questions.map(({ step, message, ...question }) => ({ step, message, isOptional: isOptional(question) }));
  return asks.length === 0 ? {} : { asks };
}
