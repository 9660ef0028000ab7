import { groupNameProblem } from '@rampart/domain';
import { ArrayNotEmpty, IsArray, IsBoolean, IsDefined, IsOptional, IsString, ValidateBy } from 'class-validator';
import { BOOLEAN, REQUIRED, STRING, STRINGS } from '../http/messages.js';
import type { Group } from './group.entity.js';

const IsGroupName = (): PropertyDecorator =>
  ValidateBy({
    name: 'isGroupName',
    validator: {
      validate: (name) => typeof name === 'string' && groupNameProblem(name) === undefined,
      defaultMessage: (args) => groupNameProblem(String(args?.value)) ?? '',
    },
  });

export class GroupCreate {
  @IsGroupName()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  @IsString({ each: true, ...STRINGS })
  @ArrayNotEmpty({ message: 'You must select at least one inbound' })
  @IsArray(STRINGS)
  @IsDefined(REQUIRED)
  inbound_tags: string[];

  @IsBoolean(BOOLEAN)
  @IsOptional()
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

export const groupView = (group: Group, totalUsers: number): GroupView => ({
  name: group.name,
  inbound_tags: group.inboundTags,
  is_disabled: group.isDisabled,
  id: group.id,
  total_users: totalUsers,
});
