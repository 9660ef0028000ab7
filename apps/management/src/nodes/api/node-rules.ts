import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { MAX_INT32 } from '@rampart/domain';
import { API_KEY_SCHEMA, apiKeyProblem } from '@rampart/node-client';
import { IsIn, IsInt, IsNotEmpty, IsNumber, IsString, Max, Min, type ValidationOptions } from 'class-validator';
import type { Schema } from '../../validation/json-schema.js';
import { oneOf, STRING } from '../../validation/messages.js';
import { Rule } from '../../validation/rule.js';
import { MaxCharacters } from '../../validation/rules.js';
import { serverCaProblem } from '../connection/server-ca.js';
import type { NodeConnection, NodeStatus } from '../store/node.entity.js';

const CONNECTIONS: readonly NodeConnection[] = ['grpc', 'rest'];
const STATUSES: readonly NodeStatus[] = ['connected', 'connecting', 'error', 'disabled'];
const MAX_COEFFICIENT = 1000;
const COEFFICIENT = { message: `Input should be a number above 0 and at most ${MAX_COEFFICIENT}` };
const MAX_ADDRESS_LENGTH = 253;
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
/** A host name or IPv4 address, or text in the form of an IPv6 address. */
const ADDRESS_SCHEMA = {
  maxLength: MAX_ADDRESS_LENGTH,
  pattern: `${HOST_NAME.source}|^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(?:%[0-9a-zA-Z.:-]+)?$`,
};
/** The resolver reads a name with such an ending as a numeric address. */
const ENDS_IN_NUMBER = /(^|\.)(\d+|0x[\da-f]*)$/i;

export const IsNodeName = (): PropertyDecorator =>
  applyDecorators(IsString(STRING), IsNotEmpty({ message: "name can't be empty" }), MaxCharacters(256));

export const IsNodeAddress = (): PropertyDecorator =>
  applyDecorators(IsString(STRING), HasNoProblem('isAddress', ADDRESS_SCHEMA, addressProblem));

export const IsPort = (): PropertyDecorator =>
  IsIntegerIn(1, 65_535, { message: 'Input should be an integer from 1 to 65535' });

export const IsConnection = (): PropertyDecorator => IsIn(CONNECTIONS, oneOf(CONNECTIONS));

export const IsServerCa = (): PropertyDecorator =>
  applyDecorators(
    IsString(STRING),
    MaxCharacters(16_384),
    HasNoProblem('isServerCa', { pattern: '-----BEGIN CERTIFICATE-----' }, serverCaProblem),
  );

export const IsSeconds = (): PropertyDecorator =>
  IsIntegerIn(0, MAX_INT32, { message: `Input should be a number of seconds from 0 to ${MAX_INT32}` });

export const IsId = (): PropertyDecorator =>
  IsIntegerIn(1, MAX_INT32, { message: `Input should be an integer from 1 to ${MAX_INT32}` });

export const IsApiKey = (): PropertyDecorator =>
  applyDecorators(IsString(STRING), HasNoProblem('isApiKey', API_KEY_SCHEMA, keyProblem));

export const IsCoefficient = (): PropertyDecorator =>
  applyDecorators(IsNumber({}, COEFFICIENT), Min(Number.MIN_VALUE, COEFFICIENT), Max(MAX_COEFFICIENT, COEFFICIENT));

export const IsStatus = (options: ValidationOptions = {}): PropertyDecorator =>
  IsIn(STATUSES, { ...options, ...oneOf(STATUSES) });

const IsIntegerIn = (least: number, most: number, message: { message: string }): PropertyDecorator =>
  applyDecorators(IsInt(message), Min(least, message), Max(most, message));

/** A rule that a function checks, which gets only texts and returns what is wrong. */
const HasNoProblem = (
  name: string,
  schema: Schema,
  problemOf: (text: string) => string | undefined,
): PropertyDecorator =>
  Rule(name, schema, {
    validate: (value) => typeof value !== 'string' || problemOf(value) === undefined,
    defaultMessage: (args) => problemOf(String(args?.value)) ?? '',
  });

function addressProblem(text: string): string | undefined {
  const isName = HOST_NAME.test(text) && !ENDS_IN_NUMBER.test(text);
  if (text.length <= MAX_ADDRESS_LENGTH && (isIP(text) !== 0 || isName)) return undefined;
  return 'Input should be an IP address or a domain name, without scheme, port or brackets';
}

function keyProblem(text: string): string | undefined {
  const problem = apiKeyProblem(text);
  return problem && `Input ${problem}`;
}
