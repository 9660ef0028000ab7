import type { Schema } from '../validation/json-schema.js';
import type { OpenApiDocument, Operation } from './schema.js';

const JSON_TYPE = 'application/json';

/**
 * Adds links from the answer of a POST to the operations on what it created: those under `<its path>/{parameter}`, and
 * those under paths where GET answers with the same schema. The parameter is the member of that name, or `id`.
 */
export function linkCreated(paths: OpenApiDocument['paths'], schemas: Readonly<Record<string, Schema>>): void {
  for (const [path, { post }] of Object.entries(paths)) {
    const created = post?.responses['201'];
    const name = nameOf(post, '201');
    const members = schemas[name ?? '']?.properties;
    if (!created || !members) continue;
    const links = Object.entries(paths).flatMap(([other, item]) => {
      const [, start = '', parameter = ''] = /^(.*)\/\{(\w+)\}[^{}]*$/.exec(other) ?? [];
      const isResource = start === path || nameOf(paths[`${start}/{${parameter}}`]?.['get'], '200') === name;
      const member = [parameter, 'id'].find((known) => known in members && (known !== 'id' || /_id$/.test(parameter)));
      if (!isResource || member === undefined) return [];
      return Object.values(item).map(({ operationId, summary }) => [
        operationId,
        {
          operationId,
          parameters: { [parameter]: `$response.body#/${member}` },
          description: `${summary}, by the \`${member}\` of what was created.`,
        },
      ]);
    });
    if (links.length > 0) created.links = Object.fromEntries(links);
  }
}

const nameOf = (operation: Operation | undefined, status: string): string | undefined =>
  operation?.responses[status]?.content?.[JSON_TYPE]?.schema.$ref?.split('/').at(-1);
