#!/usr/bin/env node
import 'reflect-metadata';
import { runCommandLine } from '@rampart/program';
import { createRampart } from './create-rampart.js';

void runCommandLine(createRampart(), process.argv);
