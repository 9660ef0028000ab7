import { groupNameProblem, groupNameSchema } from '@rampart/domain';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsDefined, IsOptional, IsString } from 'class-validator';
import { REQUIRED, STRING, STRINGS } from '../http/messages.js';
import { Rule } from '../http/rule.js';
import { OptionalBoolean } from '../http/rules.js';
import type { Group } from './group.entity.js';

const MOST_TAGS = 10_000;
const TAGS = { message: `Input should be a list of at most ${MOST_TAGS} strings` };

const ONE_INBOUND = { message: 'You must select at least one inbound' };

const IsGroupName = (change: 'create' | 'modify'): PropertyDecorator =>
  Rule('isGroupName', groupNameSchema(change), {
    validate: (name) => typeof name === 'string' && groupNameProblem(name, change) === undefined,
    defaultMessage: (args) => groupNameProblem(String(args?.value), change) ?? '',
  });

export class GroupCreate {
  @IsGroupName('create')
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  @IsString({ each: true, ...STRINGS })
  @ArrayMaxSize(MOST_TAGS, TAGS)
  @ArrayNotEmpty(ONE_INBOUND)
  @IsArray(STRINGS)
  @IsDefined(ONE_INBOUND)
  inbound_tags: string[];

  @OptionalBoolean()
  is_disabled?: boolean | null;
}

/** What is absent stays as it is. */
export class GroupModify {
  @IsGroupName('modify')
  @IsString(STRING)
  @IsOptional()
  name?: string | null;

  /** null or empty: the group grants nothing. */
  @IsString({ each: true, ...STRINGS })
  @ArrayMaxSize(MOST_TAGS, TAGS)
  @IsArray(STRINGS)
  @IsOptional()
  inbound_tags?: string[] | null;

  @OptionalBoolean()
  is_disabled?: boolean | null;
}

export interface GroupView {
  name: string;
  inbound_tags: string[];
  is_disabled: boolean;
  id: number;
  total_users: number;
}

export interface GroupListView {
  groups: GroupView[];
  total: number;
}

export const groupView = (group: Group): GroupView => ({
  name: group.name,
  inbound_tags: group.inboundTags,
  is_disabled: group.isDisabled,
  id: group.id,
  total_users: group.totalUsers,
});
