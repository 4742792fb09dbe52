import { type Code, type CommentedMember, plain } from '../typescript/code.ts';
import type { ConsumedMapping } from './block.ts';
import { type ConstructCode, ConsumedSpec, type EmitContext, emitConstruct, NotRepresentable } from './construct.ts';
import { emitHeaders } from './headers.ts';
import { isAddress, isHttps, isNumeral } from './prop-guards.ts';

/** The code `new Telemetry(…)`. */
export function emitTelemetry(context: EmitContext): ConstructCode {
  const fields = new ConsumedSpec(context);
  const naming = fields.naming();
  const openTelemetry = fields.block('openTelemetry');
  const prometheus = fields.block('prometheus');
  const scraped = prometheus === undefined ? [] : emitSwitch('prometheus', prometheus);
  fields.done();
  if (openTelemetry === undefined && prometheus?.take('enabled') !== true)
    throw new NotRepresentable('`openTelemetry` is missing, and `prometheus` is not enabled.');
  const collected = openTelemetry && emitCollector(openTelemetry);
  return {
    code: emitConstruct('new Telemetry', context, [
      ...naming,
      ...fields.emit('collector', 'openTelemetry', collected),
      ...scraped,
    ]),
  };
}

function emitCollector(block: ConsumedMapping): Code {
  const tracing = block.block('tracing');
  const metrics = block.block('metrics');
  if (block.take('enabled') !== true || (tracing === undefined && metrics?.take('enabled') !== true))
    throw new NotRepresentable('`openTelemetry` is not enabled, or it sends neither traces nor metrics.');
  const isInsecure = block.take('insecure') === true;
  const authorities = block.caBundle('caBundle', 'caBundleRef');
  if (isInsecure && authorities.length > 0)
    throw new NotRepresentable('`caBundleRef` has no effect together with `insecure`.');
  const members = [
    ...block.required('endpoint', 'endpoint', value => isAddress(value) || isHttps(value)),
    ...block.props('insecure'),
    ...authorities,
    ...block.emit(
      'headers',
      'headers',
      emitHeaders(block, 'headers', 'sensitiveHeaders', { name: 'name', reference: 'secretKeyRef' }),
    ),
    ...block.props('resourceAttributes'),
    ...(tracing === undefined ? [] : emitTraces(tracing)),
    ...(metrics === undefined ? [] : emitSwitch('metrics', metrics)),
    ...block.props('useLegacyAttributes'),
  ];
  block.done();
  return { type: 'object', members };
}

function emitTraces(block: ConsumedMapping): readonly CommentedMember[] {
  if (block.take('enabled') !== true) throw new NotRepresentable('`tracing` is not enabled.');
  const rate = block.prop('samplingRate', 'samplingRate', isNumeral);
  block.done();
  const { writer, path } = block;
  return [writer.member('traces', rate.length === 0 ? plain('true') : { type: 'object', members: rate }, path)];
}

/** A mapping that only contains `enabled`. */
function emitSwitch(key: string, block: ConsumedMapping): readonly CommentedMember[] {
  const isEnabled = block.take('enabled');
  if (isEnabled === undefined) throw new NotRepresentable(`\`${key}\` has no \`enabled\`.`);
  block.done();
  return [block.writer.member(key, plain(`${isEnabled}`), block.path)];
}
