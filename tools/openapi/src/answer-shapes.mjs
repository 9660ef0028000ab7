const SCALARS = { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' };

/**
 * What the answers to GET requests look like, as the dashboard checks them (`api/read-answer.ts`): kinds such as `string|null`, names
 * of types, `[kind]` for lists, `['|', ...]` for other choices, and objects, whose members end in `?` where they may be missing.
 */
export function answerShapes({ paths, components }) {
  const types = {};

  function shapeOf(schema) {
    if (schema.$ref) {
      const name = schema.$ref.split('/').pop();
      if (!(name in types)) {
        types[name] = 'any';
        types[name] = shapeOf(components.schemas[name]);
      }
      return name;
    }
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return choiceOf(choices.map(shapeOf));
    if (schema.const !== undefined) return typeof schema.const;
    return choiceOf([schema.type ?? 'any'].flat().map((type) => shapeOfType(type, schema)));
  }

  function shapeOfType(type, { items, properties, required = [], additionalProperties: others }) {
    if (type === 'array') return [shapeOf(items ?? {})];
    if (type !== 'object') return SCALARS[type] ?? 'any';
    if (!properties) return { '*': typeof others === 'object' ? shapeOf(others) : 'any' };
    const members = Object.entries(properties);
    return Object.fromEntries(
      members.map(([name, schema]) => [required.includes(name) ? name : `${name}?`, shapeOf(schema)]),
    );
  }

  const answers = {};
  for (const [path, { get }] of Object.entries(paths)) {
    const schema = path.startsWith('/api/') && get?.responses[200]?.content?.['application/json']?.schema;
    if (schema) answers[path] = shapeOf(schema);
  }
  return { types, answers };
}

/** One of several shapes; names stand in one text, and null is the last. */
function choiceOf(shapes) {
  const flat = shapes.flatMap((shape) => (typeof shape === 'string' ? shape.split('|') : [shape]));
  const choices = [...new Set(flat.filter((one) => one !== 'null'))];
  if (choices.length < flat.length && flat.includes('null')) choices.push('null');
  if (choices.length === 1) return choices[0];
  return choices.every((one) => typeof one === 'string') ? choices.join('|') : ['|', ...choices];
}
