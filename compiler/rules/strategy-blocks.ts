import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { listStrategies, type Strategy } from './support/outgoing-strategies.ts';

type StrategyBlock = Exclude<keyof Strategy, 'type'>;

const BLOCK_OF: { readonly [type: string]: StrategyBlock } = {
  header_injection: 'headerInjection',
  token_exchange: 'tokenExchange',
  upstream_inject: 'upstreamInject',
  aws_sts: 'awsSts',
  obo: 'obo',
  xaa: 'xaa',
};

/**
 * A strategy needs the block of its type; other blocks have no effect.
 *
 * @holds outgoingAuth and config.outgoingAuth | strategy | the block of its `type`; other blocks have no effect | LNT1010, LNT1008
 */
export function strategyBlocks(resource: Resource): Diagnostic[] {
  return listStrategies(resource).flatMap(({ strategy, path }) => {
    const needed = BLOCK_OF[strategy.type];
    const found: Diagnostic[] = [];
    if (needed !== undefined && strategy[needed] === undefined) {
      const message = `type ${strategy.type} needs the block "${needed}"`;
      found.push(diagnose(resource.document, 'LNT1010', [...path, needed], message));
    }
    // Lowering reports unused blocks of `unauthenticated`.
    if (needed === undefined) return found;
    for (const block of Object.values(BLOCK_OF)) {
      if (block === needed || strategy[block] === undefined) continue;
      const message = `${block} has no effect: the type is ${strategy.type}`;
      found.push(diagnose(resource.document, 'LNT1008', [...path, block], message, { at: 'key' }));
    }
    return found;
  });
}
