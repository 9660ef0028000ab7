import { IsBetween, parseInteger, Setting } from '@rampart/program';
import { IsIn, IsOptional, ValidateBy } from 'class-validator';
import { adminNameProblem } from '../validation/admin-name.js';
import { passwordProblem } from '../validation/password-rule.js';
import { DatabaseEnv } from './database-env.js';
import { IsKey, parseKeySetting } from './env-rules.js';

/** The username and password of the first admin must be set together, and both must follow their rules. */
const FirstAdmin = (problem: (username?: string, password?: string) => string | undefined): PropertyDecorator => {
  const problemOf = (env: object): string | undefined =>
    env instanceof AccessEnv ? problem(env.adminUsername, env.adminPassword) : undefined;
  return ValidateBy({
    name: 'firstAdmin',
    validator: {
      validate: (_, args) => problemOf(args?.object ?? {}) === undefined,
      defaultMessage: (args) => problemOf(args?.object ?? {}) ?? '',
    },
  });
};

/** Settings of the first admin, keys and logins; `ManagementEnv` is the end of this chain of classes. */
export class AccessEnv extends DatabaseEnv {
  @Setting({
    name: 'RAMPART_ADMIN_USERNAME',
    help: 'username of the sudo admin that is created when there is no sudo admin',
  })
  @FirstAdmin((username, password) => {
    if (username === undefined) return password === undefined ? undefined : 'is required beside RAMPART_ADMIN_PASSWORD';
    const problem = adminNameProblem(username);
    return problem && `is refused: ${problem}`;
  })
  readonly adminUsername: string | undefined;

  @Setting({
    name: 'RAMPART_ADMIN_PASSWORD',
    help: 'password of that admin, at least 12 characters, and none that is easy to guess',
    secret: true,
  })
  @FirstAdmin((username, password) => {
    if (password === undefined) return username === undefined ? undefined : 'is required beside RAMPART_ADMIN_USERNAME';
    const problem = passwordProblem(password, username ?? '');
    return problem && `is refused: ${problem}`;
  })
  readonly adminPassword: string | undefined;

  @Setting({
    name: 'RAMPART_JWT_KEY',
    help: 'key that signs login tokens, 32 bytes in base64; by default a key is created once',
    parse: parseKeySetting,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly jwtKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_JWT_KEY_PREVIOUS',
    help: 'previous key, whose tokens are accepted as long as it is set',
    parse: parseKeySetting,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly previousJwtKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_SUBSCRIPTION_KEY',
    help: 'key that signs subscription links, 32 bytes in base64; by default a key is created once',
    parse: parseKeySetting,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly subscriptionKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_SUBSCRIPTION_KEY_PREVIOUS',
    help: 'previous key, whose links are accepted as long as it is set',
    parse: parseKeySetting,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly previousSubscriptionKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_AT_REST_KEY',
    help: 'key that encrypts secrets in the database, 32 bytes in base64; by default a key is created once',
    parse: parseKeySetting,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly atRestKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_AT_REST_KEY_PREVIOUS',
    help: 'previous key; what it encrypted is encrypted with the new key when management starts',
    parse: parseKeySetting,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly previousAtRestKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_ADMIN_USERS',
    help: 'users that an admin without sudo may have, unless its `max_users` says otherwise; 0: any number',
    fallback: '10000',
    parse: parseInteger,
  })
  @IsBetween(0, 10_000_000)
  readonly adminUsers: number;

  @Setting({
    name: 'RAMPART_TOKEN_MINUTES',
    help: 'minutes for which a login token is valid',
    fallback: '1440',
    parse: parseInteger,
  })
  @IsBetween(1, 525_600)
  readonly tokenMinutes: number;

  @Setting({
    name: 'RAMPART_SESSION_MINUTES',
    help: 'minutes after which the login of a browser ends when it is not used',
    fallback: '1440',
    parse: parseInteger,
  })
  @IsBetween(1, 525_600)
  readonly sessionMinutes: number;

  @Setting({
    name: 'RAMPART_SESSION_DAYS',
    help: 'days after which the login of a browser ends even when it is used',
    fallback: '30',
    parse: parseInteger,
  })
  @IsBetween(1, 3_650)
  readonly sessionDays: number;

  @Setting({
    name: 'RAMPART_REQUIRE_TOTP',
    help: 'whose logins need a second factor: none, sudo or all; who has none can only set one up. API tokens go on',
    fallback: 'none',
  })
  @IsIn(['none', 'sudo', 'all'], { message: 'must be none, sudo or all' })
  readonly requireTotp: 'none' | 'sudo' | 'all';

  @Setting({
    name: 'RAMPART_LOGIN_NAME_FAILURES',
    help: 'failed logins from one network (/24, or /48 of IPv6) after which a username has to wait there',
    fallback: '5',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly loginNameFailures: number;

  @Setting({
    name: 'RAMPART_LOGIN_NAME_TOTAL_FAILURES',
    help: 'failed logins from all networks together after which a username has to wait everywhere',
    fallback: '1000',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly loginNameTotalFailures: number;

  @Setting({
    name: 'RAMPART_LOGIN_ADDRESS_FAILURES',
    help: 'failed logins with any usernames after which an address, or a /64 of IPv6, has to wait',
    fallback: '20',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly loginAddressFailures: number;

  @Setting({
    name: 'RAMPART_LOGIN_MINUTES',
    help: 'minutes for which failed logins count',
    fallback: '15',
    parse: parseInteger,
  })
  @IsBetween(1, 1_440)
  readonly loginMinutes: number;
}
