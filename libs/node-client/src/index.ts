export * from './gen/service.js';
