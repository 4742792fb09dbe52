import { readText } from '../../source/read-text.ts';
import { SourceText } from '../../source/source-text.ts';
import { Comments } from '../comments.ts';
import { type Code, list, plain } from '../typescript/code.ts';
import { stringLiteral } from '../typescript/literal.ts';
import { ValueWriter } from '../value-code.ts';
import { Block } from './block.ts';
import { construct, Fields, onlyName, Unsayable, type Writing } from './construct.ts';
import type { Chosen } from './index.ts';
import { registryConfig } from './registry-config.ts';

/** `new Registry(…)`, with the configuration that is a text in the object. */
export function registry(writing: Writing): Chosen {
  const { object, world } = writing;
  const fields = new Fields(writing);
  const naming = fields.naming();
  const config = configBlock(fields.take('configYAML'));
  const registryName = config.take('registryName');
  if (registryName !== undefined && registryName !== object.name)
    throw new Unsayable('its configuration has another name.');
  const { before, members } = registryConfig(config, world);
  const own = [
    ...fields.props('displayName', 'volumes', 'volumeMounts'),
    ...fields.prop('podTemplate', 'podTemplateSpec'),
    ...fields.said('imagePullSecrets', 'imagePullSecrets', pullSecrets(fields.take('imagePullSecrets'))),
  ];
  fields.done();
  const code = construct('new Registry', writing, [...naming, ...members, ...own]);
  const [first, ...others] = before;
  const above = config.writer.comments.rest();
  return {
    before: first === undefined ? [] : [{ ...first, comments: [...above, ...(first.comments ?? [])] }, ...others],
    code,
  };
}

/** The text is a document of its own, whose comments are about it. */
function configBlock(text: unknown): Block {
  const { documents, diagnostics } = readText(new SourceText('configYAML', `${text}`));
  const [document, ...others] = documents;
  if (document === undefined || others.length > 0 || diagnostics.length > 0)
    throw new Unsayable('its configuration is no single document.');
  return new Block(document.value, [], new ValueWriter(new Comments(document)));
}

function pullSecrets(references: unknown): Code | undefined {
  if (references === undefined) return undefined;
  if (!Array.isArray(references)) throw new Unsayable('`imagePullSecrets` is no list.');
  return list(references.map(one => plain(stringLiteral(onlyName(one, 'imagePullSecrets')))));
}
