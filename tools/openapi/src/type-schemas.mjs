// Converts TypeScript types to JSON Schemas (2020-12) of their values as JSON.
import ts from 'typescript';

const { TypeFlags: Flag } = ts;
/** Types of streamed answers. `Streamed<T>` names the content; these are plain bytes. */
const RAW = new Set(['Readable', 'Observable', 'StreamableFile', 'Buffer']);

export class TypeSchemas {
  /** Schemas of the types that our sources name, by name. */
  schemas = new Map();
  /** TypeScript symbols of these types, by name. A class is a DTO. */
  symbols = new Map();

  /** @param isOurs whether the named types of a source file become named schemas */
  constructor(checker, isOurs) {
    this.checker = checker;
    this.isOurs = isOurs;
  }

  /** Returns the schema of a type, or undefined for a type without values, such as `void`. */
  of(type) {
    const name = this.#nameOf(type);
    if (name === undefined) return this.#inline(type);
    if (!this.schemas.has(name)) {
      this.schemas.set(name, {}); // A recursive type finds this entry.
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
   * Returns the members of a union as written: TypeScript flattens unions, but keeps the original as their origin. Its order
   * depends on other files, so the members are sorted here.
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

  /** The schema of a member. Tags of its comment say what the type cannot: `@decimal` or `@format date-time`. */
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

  /** The comment of a member; under `@membersLike Other`, a missing one is that of the same member of another type. */
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

/** Whether a request needs the member: a member of a class with an initial value may be left out. */
function isRequired({ flags, valueDeclaration }) {
  const hasDefault = valueDeclaration && ts.isPropertyDeclaration(valueDeclaration) && valueDeclaration.initializer;
  return !(flags & ts.SymbolFlags.Optional) && !hasDefault;
}

/** Merges schemas into a list of types or an enum where possible, else into `anyOf`. */
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
