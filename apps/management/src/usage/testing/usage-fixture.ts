import type { DataSource } from 'typeorm';
import { AdminUsage } from '../admin-usage.entity.js';
import { NodeUsage } from '../node-usage.entity.js';
import { NodeUserUsage } from '../node-user-usage.entity.js';
import { createUsagePartition } from '../usage-partitions.js';

export interface UsedHour {
  userId: number;
  adminId: number;
  nodeId: number;
  hour: string;
  bytes: number;
}

/** Inserts history of any hour, as recording traffic writes it: the bytes of a user also count for its admin and node. */
export async function insertUsageHours({ manager }: DataSource, hours: readonly UsedHour[]): Promise<void> {
  for (const { userId, adminId, nodeId, hour: text, bytes } of hours) {
    const hour = new Date(text);
    await manager.transaction((transaction) => createUsagePartition(transaction, hour));
    await manager.insert(NodeUserUsage, { userId, hour, nodeId, usedTraffic: bytes });
    await manager.query(
      `INSERT INTO admin_usages AS known VALUES ($1, $2, $3, $4) ON CONFLICT (admin_id, hour, node_id)
       DO UPDATE SET used_traffic = known.used_traffic + excluded.used_traffic`,
      [adminId, hour, nodeId, bytes],
    );
    await manager.query(
      `INSERT INTO node_usages AS known VALUES ($1, $2, $3, $4, $5) ON CONFLICT (hour, node_id) DO UPDATE SET
         uplink = known.uplink + excluded.uplink, downlink = known.downlink + excluded.downlink,
         used_traffic = known.used_traffic + excluded.used_traffic`,
      [hour, nodeId, 2 * bytes, 3 * bytes, bytes],
    );
  }
}

export async function deleteAllUsage({ manager }: DataSource): Promise<void> {
  for (const entity of [NodeUserUsage, AdminUsage, NodeUsage]) await manager.deleteAll(entity);
}
