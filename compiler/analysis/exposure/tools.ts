import { compareText, findOverride } from '#schemas';
import type { GatewayModel } from '../gateway/model.ts';
import { tokenEstimate } from '../gateway/token-estimate.ts';
import { compositeDefinition } from './composite-definition.ts';
import { definitionDigest } from './definition-digest.ts';
import type { ExposedCall, ExposedComposite, ExposedTool } from './exposure.ts';
import { compositeHints, toolHints } from './hints.ts';
import { pickName } from './pick-name.ts';
import { isOptional, type PlannedStep, readSteps } from './plan/held-back.ts';
import type { PlanView } from './plan/plan-view.ts';
import type { Reach } from './reach.ts';
import { readTitle } from './title.ts';

export function exposedTools(gateway: GatewayModel, reach: Reach): readonly ExposedTool[] {
  const plans = new Map(gateway.backends.map(({ name, plan }) => [name, plan.tools]));
  return reach.tools.map(({ tool, direct, through, reach }) => {
    const { name, backend, originalName, definition } = tool;
    const override = findOverride(plans.get(backend)?.overrides ?? {}, originalName);
    return {
      name,
      backend,
      originalName,
      ...readTitle(definition),
      digest: definitionDigest(definition),
      visibility: tool.advertised ? 'advertised' : 'hidden',
      hints: toolHints(tool, override),
      tokens: tokenEstimate(definition),
      direct,
      through: through
        .map(({ composite, call }) => ({ composite: composite.composite.name, step: call.call.id, who: composite.who }))
        .sort((a, b) => compareText(a.composite, b.composite)),
      reach,
    };
  });
}

/** @param plan says what the steps do */
export function exposedComposites({ composites }: Reach, plan: PlanView): readonly ExposedComposite[] {
  return composites
    .map(({ composite, who }) => {
      const definition = compositeDefinition(composite);
      const steps = readSteps(plan, composite.name) ?? [];
      return {
        name: composite.name,
        from: pickName(composite.resource),
        ...readTitle(definition),
        digest: definitionDigest(definition),
        hints: compositeHints(composite),
        tokens: tokenEstimate(definition),
        direct: who,
        calls: composite.calls.map(({ step, call, target }) => ({
          step: call.id,
          reference: call.tool ?? '',
          tool: target.type === 'tool' ? target.tool.name : null,
          ...askedFirst(steps.find(({ id }) => id === step.id)),
        })),
      };
    })
    .sort((a, b) => compareText(a.name, b.name) || compareText(a.from.name, b.from.name));
}

function askedFirst({ questions = [] }: Partial<PlannedStep> = {}): Pick<ExposedCall, 'asks'> {
  const asks = questions.map(({ step, message, ...question }) => ({ step, message, isOptional: isOptional(question) }));
  return asks.length === 0 ? {} : { asks };
}
