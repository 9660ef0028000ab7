// The titles of the tests in a source, as jest prints them.
import { parseSync } from '@swc/core';

const GROUPS = ['describe'];
const TESTS = ['it', 'test', 'tableTest'];

/**
 * The titles of all tests and groups of tests in a source, in their order. `own` is what stands in the call, `full` has the
 * titles of the groups around it in front.
 */
export function testTitles(source) {
  // The positions of the parser go on from one source to the next; the empty statement tells where this one begins.
  const bytes = Buffer.from(`;${source}`);
  const { body } = parseSync(bytes.toString(), { syntax: 'typescript', decorators: true });
  const [{ span: first }] = body;
  const text = ({ start, end }) => bytes.subarray(start - first.start, end - first.start).toString();
  const found = [];
  const visit = (node, groups) => {
    if (Array.isArray(node)) for (const one of node) visit(one, groups);
    else if (node?.type === 'CallExpression') visitCall(node, groups);
    else if (node !== null && typeof node === 'object') for (const part of Object.values(node)) visit(part, groups);
  };
  const visitCall = (call, groups) => {
    const name = calledName(call.callee);
    const own =
      GROUPS.includes(name) || TESTS.includes(name) ? titleOf(call.arguments[0]?.expression, text) : undefined;
    if (own === undefined) return visit([call.callee, call.arguments], groups);
    found.push({ own, full: [...groups, own].join(' ') });
    visit(call.arguments.slice(1), GROUPS.includes(name) ? [...groups, own] : groups);
  };
  visit(body, []);
  return found;
}

/** The function at the beginning of `it(…)`, `it.each(…)(…)`, `describe.each<T>(…)(…)`. */
function calledName(callee) {
  if (callee.type === 'Identifier') return callee.value;
  if (callee.type === 'MemberExpression') return calledName(callee.object);
  if (callee.type === 'CallExpression') return calledName(callee.callee);
  if (callee.type === 'TaggedTemplateExpression') return calledName(callee.tag);
  return undefined;
}

function titleOf(expression, text) {
  if (expression?.type === 'StringLiteral') return expression.value;
  if (expression?.type === 'TemplateLiteral') return text(expression.span).slice(1, -1);
  // `describe(FairTurns.name, …)`
  const isName = expression?.type === 'MemberExpression' && expression.property.value === 'name';
  return isName && expression.object.type === 'Identifier' ? expression.object.value : undefined;
}
