// Reads the parameters and answers of the handlers of an app's controllers from their types.
import { dirname, relative } from 'node:path';
import ts from 'typescript';
import { TypeSchemas } from './type-schemas.mjs';

/**
 * Returns `{handlers, schemas, classes}`: the handlers by `Controller.method`, the named schemas that they use, and the
 * schemas that are classes, by the file that exports them.
 */
export function readHandlers(folder) {
  const program = programOf(folder);
  const checker = program.getTypeChecker();
  const types = new TypeSchemas(checker, (file) => !file.fileName.includes('/node_modules/'));
  const controllers = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(`${folder}/`) && fileName.endsWith('.controller.ts'))
    .flatMap((file) => file.statements.filter(ts.isClassDeclaration));
  const names = controllers.map(({ name }) => name.text);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two controllers are called ${twice}: rename one`);
  const handlers = controllers.flatMap((controller) =>
    controller.members
      .filter((member) => ts.isMethodDeclaration(member) && ts.getDecorators(member))
      .map((method) => [`${controller.name.text}.${method.name.text}`, handlerOf(method, checker, types, folder)]),
  );
  return { handlers: sorted(handlers), schemas: sorted(types.schemas), classes: classesOf(types.symbols) };
}

function programOf(folder) {
  const file = ts.findConfigFile(folder, ts.sys.fileExists);
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(file, ts.sys.readFile).config,
    ts.sys,
    dirname(file),
    { customConditions: ['rampart-src'], composite: false, noEmit: true },
  );
  if (errors.length > 0) throw new Error(ts.formatDiagnostics(errors, ts.createCompilerHost(options)));
  return ts.createProgram(
    fileNames.filter((name) => name.endsWith('.controller.ts')),
    options,
  );
}

function handlerOf(method, checker, types, folder) {
  const answer = checker.getAwaitedType(checker.getReturnTypeOfSignature(checker.getSignatureFromDeclaration(method)));
  const taken = { body: undefined, query: undefined, path: {} };
  for (const parameter of method.parameters) {
    const { source, name } = decoratorOf(parameter);
    const schema = () => types.of(checker.getTypeAtLocation(parameter));
    if (source === 'Body') taken.body = schema();
    else if (source === 'Query' && name === undefined) taken.query = schema();
    else if (source === 'Query') throw new Error(`${method.name.text}: a query is one DTO, not single members`);
    else if (source === 'Param') taken.path[name] = schema();
  }
  return {
    feature: relative(folder, method.getSourceFile().fileName).split('/')[0],
    ...types.docOf(checker.getSymbolAtLocation(method.name)),
    ...taken,
    answer: types.of(answer),
  };
}

/** Returns the kind and the name of a parameter from its decorator, such as `@Param('core_id', IdPipe)`. */
function decoratorOf(parameter) {
  const call = ts
    .getDecorators(parameter)
    ?.map(({ expression }) => expression)
    .find(ts.isCallExpression);
  const name = call?.arguments[0];
  return { source: call?.expression.getText(), name: name && ts.isStringLiteral(name) ? name.text : undefined };
}

function classesOf(symbols) {
  const classes = [...symbols.values()].filter((symbol) => symbol.flags & ts.SymbolFlags.Class);
  return classes.map(({ name, declarations: [declaration] }) => {
    if (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) {
      return { name, file: declaration.getSourceFile().fileName };
    }
    throw new Error(`the class ${name} is part of the API: export it`);
  });
}

const sorted = (entries) => Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
