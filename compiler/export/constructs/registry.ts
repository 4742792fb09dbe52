import { readText } from '../../source/read-text.ts';
import { SourceText } from '../../source/source-text.ts';
import { Comments } from '../comments.ts';
import { type Code, type CommentedMember, list, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import { ValueWriter } from '../value-code.ts';
import { ConsumedMapping } from './block.ts';
import {
  type ConstructCode,
  ConsumedSpec,
  type EmitContext,
  emitConstruct,
  NotRepresentable,
  requireOnlyName,
} from './construct.ts';
import { emitRegistryConfig } from './registry-config.ts';
import { PLAIN_FILES, ReferencedFiles, type ServerFiles } from './server-files.ts';

/** The code `new Registry(…)`, with the configuration text in the object. */
export function emitRegistry(context: EmitContext): ConstructCode {
  const { object, program } = context;
  const fields = new ConsumedSpec(context);
  const naming = fields.naming();
  const text = fields.take('configYAML');
  const read = (files: ServerFiles) => {
    const config = readConfigBlock(text);
    const registryName = config.take('registryName');
    if (registryName !== undefined && registryName !== object.name)
      throw new NotRepresentable('`registryName` is not the name of the object.');
    return { ...emitRegistryConfig(config, program, files), above: config.writer.comments.rest() };
  };
  const referencedFiles = new ReferencedFiles(fields.peek('volumes'), fields.peek('volumeMounts'));
  const referring = read(referencedFiles);
  const left = referencedFiles.others();
  // If the volumes are not those that the construct would create, both would conflict. Then the program states the paths of files and all volumes.
  const { before, members, above } = left === undefined ? read(PLAIN_FILES) : referring;
  const own = [
    ...fields.props('displayName'),
    ...['volumes', 'volumeMounts'].flatMap(field => emitRest(fields, field as keyof LeftVolumes, left)),
    ...fields.prop('podTemplate', 'podTemplateSpec'),
    ...fields.emit('imagePullSecrets', 'imagePullSecrets', pullSecrets(fields.take('imagePullSecrets'))),
  ];
  fields.done();
  const [first, ...others] = before;
  return {
    before: first === undefined ? [] : [{ ...first, comments: [...above, ...(first.comments ?? [])] }, ...others],
    code: emitConstruct('new Registry', context, [...naming, ...members, ...own]),
  };
}

type LeftVolumes = NonNullable<ReturnType<ReferencedFiles['others']>>;

/** The volumes or mounts that the construct does not create itself. */
function emitRest(
  fields: ConsumedSpec,
  field: keyof LeftVolumes,
  left: LeftVolumes | undefined,
): readonly CommentedMember[] {
  const all = fields.peek(field);
  const others = left?.[field] ?? [];
  if (left === undefined || !Array.isArray(all) || all.length === others.length) return fields.props(field);
  fields.take(field);
  const skipped = all.length - others.length;
  const items = others.map((value, index) => ({
    value: fields.writer.value(value, ['spec', field, skipped + index]),
    comments: fields.writer.comments.at(['spec', field, skipped + index]),
  }));
  return items.length === 0 ? [] : fields.emit(field, field, { type: 'list', items });
}

/** The text in `configYAML` is a YAML document of its own, with comments of its own. */
function readConfigBlock(text: unknown): ConsumedMapping {
  const { documents, diagnostics } = readText(new SourceText('configYAML', `${text}`));
  const [document, ...others] = documents;
  if (document === undefined || others.length > 0 || diagnostics.length > 0)
    throw new NotRepresentable('`configYAML` is not a single valid YAML document.');
  return new ConsumedMapping(document.value, [], new ValueWriter(new Comments(document)));
}

function pullSecrets(references: unknown): Code | undefined {
  if (references === undefined) return undefined;
  if (!Array.isArray(references)) throw new NotRepresentable('`imagePullSecrets` is not a list.');
  return list(references.map(reference => plain(formatStringLiteral(requireOnlyName(reference, 'imagePullSecrets')))));
}
