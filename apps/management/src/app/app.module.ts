import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { AdminUsersModule } from '../admin-users/admin-users.module.js';
import { AdminModule } from '../admins/admin.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BulkModule } from '../bulk/bulk.module.js';
import { CoreModule } from '../cores/core.module.js';
import { DoctorModule } from '../doctor/doctor.module.js';
import type { ManagementEnv } from '../env/management-env.js';
import { ErrorFilter } from '../errors/error.filter.js';
import { EventModule } from '../events/event.module.js';
import { GroupMembersModule } from '../group-members/group-members.module.js';
import { GroupModule } from '../groups/group.module.js';
import { HealthModule } from '../health/health.module.js';
import { HostModule } from '../hosts/host.module.js';
import type { Keys } from '../keys/keys.js';
import { NodeModule } from '../nodes/node.module.js';
import { OpenApiModule } from '../openapi/open-api.module.js';
import { ProbeModule } from '../probes/probe.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { SubscriptionModule } from '../subscriptions/subscription.module.js';
import { SystemModule } from '../system/system.module.js';
import { TotpModule } from '../totp/totp.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { UserTemplateModule } from '../user-templates/user-template.module.js';
import { UserBulkModule } from '../users/bulk/user-bulk.module.js';
import { UserModule } from '../users/user.module.js';
import { RequestPipe } from '../validation/pipes/request.pipe.js';
import { InfrastructureModule } from './infrastructure.module.js';

@Module({})
export class AppModule {
  static of(env: ManagementEnv, keys: Keys, database: DataSource): DynamicModule {
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.of(env, keys, database),
        AuthModule,
        AdminModule,
        AdminUsersModule,
        AuditModule,
        BulkModule,
        CoreModule,
        DoctorModule,
        EventModule,
        GroupMembersModule,
        GroupModule,
        HealthModule,
        HostModule,
        NodeModule,
        OpenApiModule.of(env),
        ProbeModule,
        SettingsModule,
        SubscriptionModule,
        SystemModule,
        TotpModule,
        UsageModule,
        UserBulkModule,
        UserModule,
        UserTemplateModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_PIPE, useClass: RequestPipe },
      ],
    };
  }
}
