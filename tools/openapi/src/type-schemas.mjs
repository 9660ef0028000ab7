// Turns TypeScript types into JSON Schemas (2020-12): what a value of the type looks like once it is JSON.
import ts from 'typescript';

const { TypeFlags: Flag } = ts;
/** Answers that are written piece by piece: `Streamed<T>` says what they hold, the others are bytes. */
const RAW = new Set(['Readable', 'Observable', 'StreamableFile', 'Buffer']);

export class TypeSchemas {
  /** Name -> the schema of a type that has a name in our sources. */
  schemas = new Map();
  /** Name -> its symbol; a class among them is a DTO. */
  symbols = new Map();

  /** `isOurs` tells of a source file whether its names are worth keeping. */
  constructor(checker, isOurs) {
    this.checker = checker;
    this.isOurs = isOurs;
  }

  /** Undefined for what is no value at all. */
  of(type) {
    const name = this.#nameOf(type);
    if (name === undefined) return this.#inline(type);
    if (!this.schemas.has(name)) {
      this.schemas.set(name, {}); // a type may contain itself
      const symbol = this.symbols.get(name);
      this.schemas.set(name, { ...this.docOf(symbol), ...this.#inline(type) });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  docOf(symbol) {
    const description = ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replace(/\s+/g, ' ');
    return description === '' ? {} : { description };
  }

  #nameOf(type) {
    const alias = type.aliasTypeArguments ? undefined : type.aliasSymbol;
    const symbol = alias ?? (type.isClassOrInterface() && !type.typeParameters ? type.symbol : undefined);
    if (RAW.has(symbol?.name)) return undefined;
    if (!symbol?.declarations?.some((declaration) => this.isOurs(declaration.getSourceFile()))) return undefined;
    const known = this.symbols.get(symbol.name);
    if (known && known !== symbol)
      throw new Error(`two types that the API shows are called ${symbol.name}: rename one`);
    this.symbols.set(symbol.name, symbol);
    return symbol.name;
  }

  #inline(type) {
    if (type.flags & (Flag.Any | Flag.Unknown)) return {};
    if (type.flags & (Flag.Void | Flag.Undefined | Flag.Never)) return undefined;
    if (type.flags & Flag.Null) return { type: 'null' };
    if (type.flags & Flag.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' };
    if (type.flags & (Flag.StringLiteral | Flag.NumberLiteral)) return { const: type.value };
    if (type.flags & Flag.StringLike) return { type: 'string' };
    if (type.flags & Flag.NumberLike) return { type: 'integer' };
    if (type.flags & Flag.BooleanLike) return { type: 'boolean' };
    if (type.flags & Flag.NonPrimitive) return { type: 'object' };
    if (type.isUnion()) return unionOf(this.#partsOf(type));
    if (type.flags & (Flag.Object | Flag.Intersection)) return this.#object(type);
    throw new Error(`no JSON has the type ${this.checker.typeToString(type)}`);
  }

  /**
   * TypeScript flattens unions; the origin is how it was written, with the names of its parts. It orders them by when it
   * first met them anywhere; here their order must not depend on other files.
   */
  #partsOf(type) {
    const parts = (type.origin?.types ?? type.types).map((part) => this.of(part));
    const texts = parts.filter((schema) => schema !== undefined).map((schema) => JSON.stringify(schema));
    return texts.sort().map((text) => JSON.parse(text));
  }

  #object(type) {
    const name = type.symbol?.name;
    const [argument] = this.checker.getTypeArguments(type);
    if (name === 'Streamed') return this.of(argument);
    if (RAW.has(name)) return { type: 'string' };
    if (name === 'Date') return { type: 'string', format: 'date-time' };
    if (this.checker.isTupleType(type)) return this.#tuple(type);
    if (this.checker.isArrayType(type)) return { type: 'array', items: this.of(argument) };
    const index = this.checker.getIndexInfosOfType(type)[0];
    const members = this.checker.getPropertiesOfType(type).filter((member) => !(member.flags & ts.SymbolFlags.Method));
    const required = members.filter(isRequired).map(({ name }) => name);
    return {
      type: 'object',
      ...(members.length > 0 && {
        properties: Object.fromEntries(members.map((member) => [member.name, this.#member(member)])),
      }),
      ...(required.length > 0 && { required }),
      ...(index && { additionalProperties: this.of(index.type) }),
    };
  }

  #tuple(type) {
    const items = this.checker.getTypeArguments(type).map((element) => this.of(element));
    return { type: 'array', prefixItems: items, minItems: items.length, maxItems: items.length };
  }

  /** The tags of a comment say what the type cannot: `@decimal` for a number, `@format date-time` for a text. */
  #member(member) {
    const { decimal, format } = this.#tagsOf(member);
    let schema = this.of(this.checker.getTypeOfSymbol(member));
    if (decimal !== undefined) schema = replaceType(schema, 'integer', { type: 'number' });
    if (format !== undefined) schema = replaceType(schema, 'string', { type: 'string', format });
    return { ...schema, ...this.#docOfMember(member) };
  }

  #tagsOf(symbol) {
    const tags = symbol.getJsDocTags(this.checker);
    return Object.fromEntries(tags.map(({ name, text }) => [name, ts.displayPartsToString(text).trim()]));
  }

  /** Under `@membersLike Other`, members without a comment have that of the same name in another type. */
  #docOfMember(member) {
    const own = this.docOf(member);
    const holder = member.declarations?.[0]?.parent?.name;
    const like = holder && this.#typeLike(this.checker.getSymbolAtLocation(holder), holder);
    const same = like && this.checker.getPropertyOfType(like, member.name);
    return own.description === undefined && same ? this.#docOfMember(same) : own;
  }

  #typeLike(symbol, place) {
    const { membersLike } = this.#tagsOf(symbol);
    if (membersLike === undefined) return undefined;
    const scope = this.checker.getSymbolsInScope(place, ts.SymbolFlags.Type);
    const other = scope.find(({ name }) => name === membersLike);
    if (!other) throw new Error(`${symbol.name} is to be like ${membersLike}, which is not known there`);
    const named = other.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(other) : other;
    return this.checker.getDeclaredTypeOfSymbol(this.checker.getExportSymbolOfSymbol(named));
  }
}

function replaceType(schema, name, replacement) {
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map((part) => replaceType(part, name, replacement)) };
  const types = [schema.type ?? []].flat();
  if (!types.includes(name)) return schema;
  const type = types.map((each) => (each === name ? replacement.type : each));
  return { ...schema, ...replacement, type: type.length === 1 ? type[0] : type };
}

/** A member of a class with a value of its own may be left out of a request. */
function isRequired({ flags, valueDeclaration }) {
  const hasDefault = valueDeclaration && ts.isPropertyDeclaration(valueDeclaration) && valueDeclaration.initializer;
  return !(flags & ts.SymbolFlags.Optional) && !hasDefault;
}

/** `anyOf` only where a list of types or values does not say it. */
function unionOf(schemas) {
  const literal = schemas.filter((schema) => 'const' in schema || 'enum' in schema);
  const values = [...new Set(literal.flatMap((schema) => schema.enum ?? [schema.const]))];
  const nullable = schemas.some((schema) => schema.type === 'null');
  const rest = schemas.filter((schema) => !literal.includes(schema) && schema.type !== 'null');
  const isBoolean = values.includes(true) && values.includes(false);
  const options = [
    ...rest,
    ...(isBoolean ? [{ type: 'boolean' }] : []),
    ...enumOf(isBoolean ? values.filter((value) => typeof value !== 'boolean') : values),
  ];
  if (options.length === 1) return nullable ? orNull(options[0]) : options[0];
  const types = [...options, ...(nullable ? [{ type: 'null' }] : [])];
  const plain = types.every((schema) => Object.keys(schema).join() === 'type');
  return plain ? { type: types.map(({ type }) => type) } : { anyOf: types };
}

function enumOf(values) {
  if (values.length === 0) return [];
  const types = [...new Set(values.map((value) => (typeof value === 'number' ? 'integer' : typeof value)))];
  return [{ type: types.length === 1 ? types[0] : types, enum: values }];
}

function orNull(schema) {
  if (schema.$ref || !schema.type) return { anyOf: [schema, { type: 'null' }] };
  const type = [schema.type, 'null'].flat();
  return { ...schema, type, ...(schema.enum && { enum: [...schema.enum, null] }) };
}
