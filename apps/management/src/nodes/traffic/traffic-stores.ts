import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TrafficRepository } from '../../usage/traffic.repository.js';
import { NodeTotalsRepository } from '../store/node-totals.repository.js';
import { CounterReadingRepository } from './counter-reading.repository.js';
import { NodeTrafficRepository } from './node-traffic.repository.js';

/** Where the collectors of traffic read and write. */
@Injectable()
export class TrafficStores {
  constructor(
    readonly database: DataSource,
    readonly nodes: NodeTrafficRepository,
    readonly totals: NodeTotalsRepository,
    readonly readings: CounterReadingRepository,
    readonly usage: TrafficRepository,
  ) {}
}
