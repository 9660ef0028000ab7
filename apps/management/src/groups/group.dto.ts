import { groupNameProblem, groupNameSchema } from '@rampart/domain';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsDefined, IsOptional, IsString } from 'class-validator';
import { REQUIRED, STRING, STRINGS } from '../validation/messages.js';
import { Rule } from '../validation/rule.js';
import { OptionalBoolean } from '../validation/rules.js';

const MAX_TAGS = 10_000;
const TAGS = { message: `Input should be a list of at most ${MAX_TAGS} strings` };

const ONE_INBOUND = { message: 'You must select at least one inbound' };

const IsGroupName = (change: 'create' | 'modify'): PropertyDecorator =>
  Rule('isGroupName', groupNameSchema(change), {
    validate: (name) => typeof name === 'string' && groupNameProblem(name, change) === undefined,
    defaultMessage: (args) => groupNameProblem(String(args?.value), change) ?? '',
  });

/** A new group. */
export class GroupCreate {
  /** The name, unique: 3 to 64 of a-z and 0-9. */
  @IsGroupName('create')
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  /** The tags of the inbounds that users of the group get; each must be offered by a core. */
  @IsString({ each: true, ...STRINGS })
  @ArrayMaxSize(MAX_TAGS, TAGS)
  @ArrayNotEmpty(ONE_INBOUND)
  @IsArray(STRINGS)
  @IsDefined(ONE_INBOUND)
  inbound_tags: string[];

  /** A disabled group grants nothing. Null or absent: enabled. */
  @OptionalBoolean()
  is_disabled?: boolean | null;
}

/** Changes of a group. Absent members stay unchanged. */
export class GroupModify {
  /** The name, unique: 3 to 64 of a-z, 0-9, - and _. Null or absent: unchanged. */
  @IsGroupName('modify')
  @IsString(STRING)
  @IsOptional()
  name?: string | null;

  /** The tags of the inbounds that users of the group get. Null or empty: the group grants nothing. */
  @IsString({ each: true, ...STRINGS })
  @ArrayMaxSize(MAX_TAGS, TAGS)
  @IsArray(STRINGS)
  @IsOptional()
  inbound_tags?: string[] | null;

  /** A disabled group grants nothing. Null or absent: unchanged. */
  @OptionalBoolean()
  is_disabled?: boolean | null;
}

/** A group as it is stored. */
export interface GroupView {
  /** The name of the group. */
  name: string;
  /** The tags of the inbounds that users of the group get. */
  inbound_tags: string[];
  /** A disabled group grants nothing. */
  is_disabled: boolean;
  /** The id of the group. */
  id: number;
  /** How many users are in the group, of those whom the admin may see. */
  total_users: number;
  /** Another text after every edit. A change that sends it as `If-Match` is refused when the object has another one. */
  version: string;
}

/** A list of groups, by id. */
export interface GroupListView {
  /** The groups in the window. */
  groups: GroupView[];
  /** The number of all groups, regardless of the window of the list. */
  total: number;
}
